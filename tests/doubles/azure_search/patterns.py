"""Lucene's patterns over terms, translated to Python patterns."""

from __future__ import annotations

import re
from collections.abc import Callable

_LITERAL_HERE = "^$"
_UNKNOWN_HERE = "#&<>~"


def from_regex(text: str, refused: Callable[[], Exception]) -> re.Pattern[str]:
    """Translate a lower-case pattern, because terms are in lower case. ^ and $ are literal, @ is any string, and "..."
    is literal; # & <> ~ are not supported."""
    out: list[str] = []
    rest = text.lower()
    while rest:
        part = _part(rest)
        rest = rest[len(part) :]
        if part[0] in _UNKNOWN_HERE:
            raise refused()
        out.append(_translated(part))
    try:
        return re.compile("".join(out), re.DOTALL)
    except re.error:
        raise refused() from None


def from_wildcards(text: str) -> re.Pattern[str]:
    parts = re.findall(r"\\.|.", text.lower(), re.DOTALL)
    return re.compile("".join({"*": ".*", "?": "."}.get(one) or re.escape(one[-1]) for one in parts), re.DOTALL)


def _part(rest: str) -> str:
    """Return an escape, a quoted literal, a character class, or one character."""
    found = re.match(r"\\.|\"[^\"]*\"|\[\^?\]?(?:\\.|[^\]\\])*\]|.", rest, re.DOTALL)
    assert found
    return found.group()


def _translated(part: str) -> str:
    if part[0] == "\\" and len(part) == 2:
        return re.escape(part[1])
    if part[0] == '"' and len(part) > 1:
        return f"(?:{re.escape(part[1:-1])})" if len(part) > 2 else ""
    if part == "@":
        return ".*"
    return "\\" + part if part in _LITERAL_HERE else part
