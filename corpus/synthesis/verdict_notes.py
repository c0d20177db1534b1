"""Annotate an answer with the verdicts of its check: a note in parentheses after each claim that failed.

The notes warn a reader who sees only the text. The wording is fixed, so that a second check can remove the notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpus.verification.protocol import CheckedClaim

_ENGLISH = {
    "not_found": "(not found in the cited source)",
    "value_mismatch": "(a value differs from the source)",
    "invalid_citation": "(no such source)",
    "uncited": "(not found in the sources)",
}
_GERMAN = {
    "not_found": "(nicht in der genannten Quelle gefunden)",
    "value_mismatch": "(ein Wert weicht von der Quelle ab)",
    "invalid_citation": "(keine solche Quelle)",
    "uncited": "(nicht in den Quellen gefunden)",
}
_WORDS = tuple(note.strip("()").split() for note in (*_ENGLISH.values(), *_GERMAN.values()))
_MARK = re.compile(
    r"(?:(?<=[.!?…:)\]}”“\"'*_`$⁰¹²³⁴-⁹>])|(?=[^\n]{1,60}\)[ \t]*(?:\||$)))"
    rf"[ \u00a0]?(?:{'|'.join(re.escape(note) for note in (*_ENGLISH.values(), *_GERMAN.values()))})"
    r"(?=[\s|]|\Z)",
    re.MULTILINE,
)
"""Pattern for a note at the positions where `add_notes` writes it: after a sentence or its citation, or at the end of a
line or cell."""
_UNSEEN = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]*"
_SPACE = r"(?:[\s\u00a0*_~`\\]|&nbsp;|" + _UNSEEN[:-1] + ")"
_OPEN = r"(?:\\?[(\[（［【{]|&(?:lpar|#0*40|#x0*28);)"
_CLOSE = r"(?:\\?[)\]）］】}]|&(?:rpar|#0*41|#x0*29);)"
_FORGED = re.compile(
    rf"{_OPEN}{_SPACE}*(?:"
    + "|".join(rf"{_SPACE}+".join(_UNSEEN.join(word) for word in words) for words in _WORDS)
    + rf")[.!]?{_SPACE}*{_CLOSE}",
    re.IGNORECASE,
)
"""Pattern for a note as a reader perceives it, even with other brackets, case or emphasis, or with invisible
characters."""
_MAX_NESTED = 8
"""Maximum number of passes that remove nested notes. No normal answer needs more."""
_CLOSING = re.compile(r"[*_`$]{1,6}(?=\s|\Z)")
"""Pattern for the end of emphasis, code or a formula, which belongs before the note."""


def add_notes(answer: str, claims: Iterable[CheckedClaim], language: str | None) -> str:
    """Return the answer with a note after each rejected claim. Such a claim is unsupported, cites a missing source, or
    cites nothing and has no support. The notes are German if `language` is, and English otherwise."""
    words = _GERMAN if (language or "").startswith("de") else _ENGLISH
    parts, at = [], 0
    for claim in claims:
        if (kind := _kind(claim)) and (place := _place(answer, claim)) >= at:
            parts += [answer[at:place], " ", words[kind]]
            at = place
    return "".join([*parts, answer[at:]])


def remove_notes(answer: str) -> str:
    """Return the answer without the notes of `add_notes`. The same words elsewhere remain."""
    return _MARK.sub("", answer)


def mark_spans(answer: str) -> list[tuple[int, int]]:
    """Return the spans that `remove_notes` removes, in order, as character offsets."""
    return [match.span() for match in _MARK.finditer(answer)]


def remove_forged(text: str) -> str | None:
    """Return a model's text without the notes that the model itself wrote. The words around a note are never joined.
    Return None if notes are nested more than _MAX_NESTED deep."""
    for _ in range(_MAX_NESTED):
        text, count = _FORGED.subn(_gap, text)
        if not count:
            return text
    return None


def is_forged(text: str) -> bool:
    """Return whether a text contains a note that a model wrote."""
    return bool(_FORGED.search(text))


def _gap(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    apart = not before or before.isspace() or not after or after.isspace() or after in ".,;:!?"
    return "" if apart and not (before.isdigit() and after in ".,:") else " "


def _kind(claim: CheckedClaim) -> str | None:
    if claim.is_unsupported or claim.verdict == "invalid_citation":
        return claim.verdict
    if claim.verdict == "uncited" and claim.by_words in ("not_found", "value_mismatch"):
        return "uncited" if claim.by_words == "not_found" else claim.by_words
    return "invalid_citation" if claim.claim.invalid else None


def _place(answer: str, claim: CheckedClaim) -> int:
    """Return the offset after the claim and its citations; for a table row, the end of its last cell."""
    end = claim.claim.end
    if claim.claim.kind == "row":
        bar = len(answer[:end].rstrip()) - 1
        return len(answer[:bar].rstrip()) if answer[bar : bar + 1] == "|" else end
    match = _CLOSING.match(answer, end)
    return match.end() if match else end
