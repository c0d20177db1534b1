"""The language in which a claim's numbers are written, when the claim is quoted from a source."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.verification.holdings import Holdings

_MIN_WORDS = 3
"""A claim with so many words and numbers does not occur in a text of another language by chance."""
_MIN_SHARE = 0.5
"""The share of a claim's words in its sources from which it takes their language."""
_WORD = re.compile(r"[^\W\d_]{3}")


def language_of_values(
    claim: str, language: str | None, sources: Sequence[Holdings], share: float
) -> str | None:
    """The language of a claim's numbers: `language`, the answer's, but the source's for a literal quotation, so that a
    German answer may quote "1,500" from an English table. An answer too short for language detection takes the language
    of its sources where at least half of its words (`share`) occur there."""
    if language is None and share >= _MIN_SHARE:
        languages = {source.language for source in sources}
        return next(iter(languages)) if len(languages) == 1 else None
    others = [source for source in sources if source.language != language]
    if others and _may_be_quoted(claim):
        return next((source.language for source in others if source.holds_literally(claim)), language)
    return language


def _may_be_quoted(claim: str) -> bool:
    """Whether a claim is more than numbers, which mean different things in two languages."""
    words = [word for word in claim.split() if any(map(str.isalnum, word))]
    return len(words) >= _MIN_WORDS and bool(_WORD.search(claim))
