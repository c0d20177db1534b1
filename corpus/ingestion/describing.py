"""What can be said of a document as a whole without a model: its kind, a title, two summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import sentencex

from corpus.headings import last_heading, without_heading
from corpus.readers.promise import ReadBlock, ReadDocument
from corpus.text import has_leader

_KINDS = (
    ("Manual", r"manual|handbook|guide|instructions?|handbuch|anleitung|leitfaden|manuel"),
    ("Report", r"reports?|review|bericht|protokoll|rapport"),
    ("Slides", r"slides|presentation|deck|folien|präsentation"),
    ("Paper", r"paper|preprint|proceedings|arxiv"),
)
_OPENING = re.compile(
    r"[\d.\s]*(abstract|summary|overview|preface|introduction|zusammenfassung|überblick|vorwort|einleitung)\b",
    re.IGNORECASE,
)
_BRIEF, _STANDARD = 420, 1500


def title_of(path: Path, read: ReadDocument) -> str:
    return read.title or re.sub(r"[_\s]+", " ", path.stem).strip() or path.name


def kind_of(path: Path, read: ReadDocument) -> str:
    """One of corpus.documents.DOCUMENT_TYPES, from the words of name and title, then from the suffix."""
    words = f"{path.stem} {read.title or ''}".lower().replace("_", " ").replace("-", " ")
    for kind, pattern in _KINDS:
        if re.search(rf"(?:\b|(?<=\w))(?:{pattern})\b", words):
            return kind
    if path.suffix.lower() in (".md", ".markdown", ".txt", ".text", ".rst", ".log"):
        return "Note"
    return "Paper" if _reads_like_a_paper(read.blocks) else "Document"


def summaries(read: ReadDocument) -> tuple[str, str]:
    """Two or three sentences, and one or two paragraphs: the document's own opening words."""
    sentences = list(_up_to(_sentences(_from_opening(read.blocks), read.language or "en"), _STANDARD))
    brief = " ".join(_up_to(iter(sentences[:3]), _BRIEF))
    half = (len(sentences) + 1) // 2 if len(sentences) > 6 else len(sentences)
    paragraphs = (" ".join(sentences[:half]), " ".join(sentences[half:]))
    return brief, "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _from_opening(blocks: Sequence[ReadBlock]) -> Sequence[ReadBlock]:
    """From the abstract or introduction on, if the first thirty blocks have one; headings alone do not count."""
    texts = [block for block in blocks if block.block_type == "text"]
    for n, block in enumerate(texts[:30]):
        opens = _OPENING.match(last_heading(block.heading)) or _OPENING.match(block.content)
        if opens and not has_leader(block.content):
            return texts[n:]
    return texts


def _sentences(blocks: Sequence[ReadBlock], language: str) -> Iterator[str]:
    for block in blocks[:60]:
        for sentence in sentencex.segment(language, without_heading(block.content, block.heading)):
            text = " ".join(sentence.split())
            if _is_prose(text):
                yield text


def _is_prose(text: str) -> bool:
    letters = sum(letter.isalpha() for letter in text)
    whole = 40 <= len(text) <= 600 and text[-1] in '.!?。！？»”"'
    return whole and letters > 0.6 * len(text) and not has_leader(text)


def _up_to(sentences: Iterator[str], most: int) -> Iterator[str]:
    """Sentences of together at most `most` letters, at least one if there is one."""
    length = 0
    for n, sentence in enumerate(sentences):
        length += len(sentence) + 1
        if n and length > most:
            return
        yield sentence


def _reads_like_a_paper(blocks: Sequence[ReadBlock]) -> bool:
    head = " ".join(block.content for block in blocks[:8])
    tail = " ".join((block.heading or "") + " " + block.content[:200] for block in blocks[-200:])
    return bool(
        re.search(r"\babstract\b", head, re.IGNORECASE) and re.search(r"\breferences\b", tail, re.IGNORECASE)
    )
