"""Entries of a list of works: what a document cites is no answer of its own."""

from __future__ import annotations

import re

_VENUE = re.compile(
    r"\b(?:In\s+(?:Proc(?:eedings|\.)|Findings|Advances\s+in|International\s+Conference)|arXiv(?:\s+preprint|:\d)|CoRR\b"
    r"|Proceedings\s+of\s+the|Transactions\s+(?:of|on)|Journal\s+of|In:\s|ISBN\b|doi(?::|\.org)|(?:pages?|pp\.|S\.)\s*\d+\s*[–-]\s*\d+)"
)
_YEAR = re.compile(r"(?:[.,(]\s*)(?:19|20)\d\d[a-z]?\s*[).,:]|,\s*(?:19|20)\d\d[a-z]?$")
_NAMES = re.compile(
    r"(?:\[?\d{1,3}[\].]\s*)?(?:[A-Z][\w’'-]+,\s*(?:[A-Z]\.\s*)+|(?:[A-Z][\w.’'-]*\s+){1,3}[A-Z][\w’'-]+,\s+(?:and\s+)?[A-Z])"
)


def is_work(text: str) -> bool:
    """Whether a text has two of what an entry begins and ends with: names, a year, where it was published."""
    if len(text) < _LEAST:
        return False
    return bool(_VENUE.search(text)) + bool(_YEAR.search(text)) + bool(_NAMES.match(text)) >= 2


_LEAST = 30
