"""The words and signs of each verdict. `found` means that the wording is in the source, and no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from corpus.verification.protocol import CheckedClaim, Verdict
from server.answer_page.answer_words import ENGLISH

WORDS = ENGLISH.verdicts
SIGNS: dict[Verdict, str] = {
    "found": "✓",
    "partly": "≈",
    "not_found": "✗",
    "value_mismatch": "≠",
    "invalid_citation": "?",
    "uncited": "○",
}
"""Beside the words, so that neither colour nor a font alone says it."""


def counted(claims: Iterable[CheckedClaim]) -> list[tuple[Verdict, int]]:
    """How many claims have each verdict, of those that any has, the best first."""
    counts = Counter(one.verdict for one in claims)
    return [(verdict, counts[verdict]) for verdict in WORDS if counts[verdict]]
