"""In which language a claim is read that is taken from its source, in whole or in most of its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.verification.holdings import Holdings

_MIN_WORDS = 3
"""Words and numbers from which a claim does not stand in a text of another language by chance."""
_MIN_SHARE = 0.5
_WORD = re.compile(r"[^\W\d_]{3}")


def language_of_values(
    claim: str, language: str | None, sources: Sequence[Holdings], share: float
) -> str | None:
    """The language that numbers of the claim are written in: `language`, the answer's, but of a quotation the source's,
    so that a German answer may hold a row with "1,500" of an English table. An answer too short to tell is in the
    language of its sources where `share` of its words, most of them, stand there."""
    if language is None and share >= _MIN_SHARE:
        languages = {source.language for source in sources}
        return next(iter(languages)) if len(languages) == 1 else None
    others = [source for source in sources if source.language != language]
    if others and _may_be_quoted(claim):
        return next((source.language for source in others if source.holds_literally(claim)), language)
    return language


def _may_be_quoted(claim: str) -> bool:
    """Numbers alone may stand in two languages for different things."""
    words = [word for word in claim.split() if any(map(str.isalnum, word))]
    return len(words) >= _MIN_WORDS and bool(_WORD.search(claim))
