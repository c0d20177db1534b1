"""Lines of headers and footers, without the parts that differ between pages."""

from __future__ import annotations

import re

PAGE_NUMBER = "\ufdd9"
"""Placeholder for a page number until the words around it are known. Unicode assigns no character to this code
point."""

PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION|DATE|TIME|SAVEDATE|PRINTDATE)\b", re.IGNORECASE)
"""Word and RTF fields whose values differ between pages or are not document text."""

_MAX_WORDS = 3
"""Maximum number of words that belong to a page number, as in "Page 3 of 10"."""


def running_line(line: str) -> str:
    """Return a header line without its tab-separated parts that contain only the page number."""
    return " – ".join(dict.fromkeys(filter(None, map(_without_number, line.split("\t")))))


def _without_number(part: str) -> str:
    if PAGE_NUMBER in part:
        part = part.replace(PAGE_NUMBER, " ")
        if len(re.findall(r"[^\W\d_]+", part)) <= _MAX_WORDS:
            return ""
    return " ".join(part.split()) if any(map(str.isalnum, part)) else ""
