"""What the check found, in the text of an answer: a few words in brackets after each claim that did not hold.

Whoever is shown the text alone is misled by nobody. The words are fixed, so that an answer that is checked again can be
read without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpus.verification.promise import CheckedClaim

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
_MARK = re.compile(
    rf"[ \u00a0]?(?:{'|'.join(re.escape(one) for one in (*_ENGLISH.values(), *_GERMAN.values()))})"
)
_CLOSING = re.compile(r"[*_`$]{1,6}(?=\s|\Z)")
"""The end of emphasis, code or a formula, which goes on in front of the mark."""


def marked(answer: str, claims: Iterable[CheckedClaim], language: str | None) -> str:
    """The answer, whose claims these are, with a mark after each that is unsupported, cites no source, or cites
    nothing and stands in none. The language is that of the marks: German, or else English."""
    words = _GERMAN if (language or "").startswith("de") else _ENGLISH
    parts, at = [], 0
    for one in claims:
        if (kind := _kind(one)) and (place := _place(answer, one)) >= at:
            parts += [answer[at:place], " ", words[kind]]
            at = place
    return "".join([*parts, answer[at:]])


def unmarked(answer: str) -> str:
    """The answer as it was before `marked`."""
    return _MARK.sub("", answer)


def _kind(one: CheckedClaim) -> str | None:
    if one.is_unsupported or one.verdict == "invalid_citation":
        return one.verdict
    if one.verdict == "uncited" and one.by_words in ("not_found", "value_mismatch"):
        return "uncited" if one.by_words == "not_found" else one.by_words
    return "invalid_citation" if one.claim.invalid else None


def _place(answer: str, one: CheckedClaim) -> int:
    """Behind the claim with its citations; of a row of a table, within its last cell."""
    end = one.claim.end
    if one.claim.kind == "row":
        bar = len(answer[:end].rstrip()) - 1
        return len(answer[:bar].rstrip()) if answer[bar : bar + 1] == "|" else end
    found = _CLOSING.match(answer, end)
    return found.end() if found else end
