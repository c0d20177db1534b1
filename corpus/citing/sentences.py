"""Sentence boundaries by `sentencex`, corrected at abbreviations, ordinals, initials and markers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import sentencex

from corpus.citing.breaks import is_no_break, missed_breaks

_PIECE = 4_000
"""Characters per call of `sentencex`, whose time is quadratic in the number of quotation marks."""
_ENDED = re.compile(r"[.!?…。！？؟।][\"'»”’“)\]]*\s*\Z")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_BELONGS_BEFORE = re.compile(
    r"""\s{0,40}+(?:
        (?:\[\^?\s?\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,20}\s?\^?\]|【[^【】\n]{1,80}】|［\d{1,4}］|[¹²³⁰⁴-⁹]{1,8}(?!\w)
          |\*?\((?:Source|Sources|Quelle|Quellen):\s[^()\n]{1,200}(?:\([^()\n]{1,60}\))?\)\*?)[.,]?
        |[)\]}»”’](?=\s|\Z))""",
    re.VERBOSE,
)
_UNSPEAKABLE = re.compile("[\ud800-\udfff\x00]")


def sentences(text: str, language: str | None = None) -> tuple[tuple[int, int], ...]:
    """Start and end of each sentence in code points, without surrounding space.

    A marker after a full stop belongs to the sentence before it. An empty line ends a sentence.
    """
    lang = (language or "").split("-")[0].lower()
    starts = [0]
    for place in _ends(_UNSPEAKABLE.sub("\ufffd", text), lang):
        end = _after_markers(text, place)
        if end > starts[-1]:
            starts.append(end)
    return tuple(_trim(text, starts, len(text)))


def _ends(text: str, language: str) -> Iterator[int]:
    """Offsets between sentences, in order."""
    last = 0
    for end in _candidates(text, language):
        before, after = text[max(last, end - 80) : end], text[end : end + 80]
        if not _is_paragraph_break(text, end) and is_no_break(before, after, language):
            continue
        yield from missed_breaks(text, last, end, language)
        yield end
        last = end
    yield from missed_breaks(text, last, len(text), language)


def _is_paragraph_break(text: str, end: int) -> bool:
    """Whether there is an empty line at this offset."""
    before, after = text[max(0, end - 20) : end], text[end : end + 20]
    around = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
    return bool(_PARAGRAPH.search(around))


def _candidates(text: str, language: str) -> Iterator[int]:
    start = 0
    while start < len(text):
        piece = text[start : start + _PIECE]
        piece_end = len(piece) if start + _PIECE >= len(text) else _piece_end(piece)
        piece = piece[:piece_end]
        for boundary in sentencex.get_sentence_boundaries(language or "en", piece):
            if boundary["end_index"] < len(piece):
                yield start + boundary["end_index"]
        start += piece_end
        if start < len(text) and _ENDED.search(piece[-20:]):
            yield start


def _piece_end(piece: str) -> int:
    """Where to cut a piece: after its last paragraph, sentence or word."""
    for sign in ("\n\n", ". ", "\n", " "):
        place = piece.rfind(sign, len(piece) // 2)
        if place >= 0:
            return place + len(sign)
    return len(piece)


def _after_markers(text: str, end: int) -> int:
    """The offset behind markers that belong to the sentence before."""
    if _is_paragraph_break(text, end):
        return end
    while (match := _BELONGS_BEFORE.match(text, end)) and not _PARAGRAPH.search(match[0]):
        end = match.end()
    return end


def _trim(text: str, starts: list[int], length: int) -> Iterator[tuple[int, int]]:
    for start, end in zip(starts, [*starts[1:], length], strict=True):
        body = text[start:end]
        sentence = body.strip()
        if sentence:
            first = start + len(body) - len(body.lstrip())
            yield first, first + len(sentence)
