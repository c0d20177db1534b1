"""Lines of headers and footers without what differs from page to page."""

from __future__ import annotations

import re

PAGE_NUMBER = "\ufdd9"
"""Put in place of a page's number until the words around it are known: no text has this code point."""

PAGE_FIELD = re.compile(
    r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION|DATE|TIME|SAVEDATE|PRINTDATE)\b", re.IGNORECASE
)
"""Fields of Word and RTF whose value is not the document's, or another one on each page."""

_FEW_WORDS = 3
"""As many stand around a page's number: "Page 3 of 10"."""


def running_line(line: str) -> str:
    """A line of a header: the parts between its tabs that say something else than the page's number."""
    return " – ".join(dict.fromkeys(filter(None, map(_without_number, line.split("\t")))))


def _without_number(part: str) -> str:
    if PAGE_NUMBER in part:
        part = part.replace(PAGE_NUMBER, " ")
        if len(re.findall(r"[^\W\d_]+", part)) <= _FEW_WORDS:
            return ""
    return " ".join(part.split()) if any(map(str.isalnum, part)) else ""
