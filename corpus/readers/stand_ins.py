"""What programs write as title or author where nobody gave one."""

from __future__ import annotations

import re

_NOTHING = r"untitled|unbenannt|unspecified|anonymous|unknown|unbekannt|none|null|n/?a|\W*"
_TITLE = re.compile(
    rf"{_NOTHING}|no title|ohne titel|sans titre|untitled (document|presentation|spreadsheet)|new document"
    r"|powerpoint[- ]pr(esentation|äsentation)",
    re.IGNORECASE,
)
_AUTHOR = re.compile(
    rf"{_NOTHING}|author|autor|python-docx|openpyxl|user|admin(istrator)?|owner|root|\w*\(0x[0-9a-f]*\)",
    re.IGNORECASE,
)
_BRACKETS = "()[]<>{}\"'"


def title_given(title: str | None) -> str | None:
    """The title, unless it stands for none: `(anonymous)`, `Untitled`, `[unspecified]`."""
    return _given(title, _TITLE)


def author_given(author: str | None) -> str | None:
    """The author, unless it stands for none or is the name of a program."""
    return _given(author, _AUTHOR)


def _given(text: str | None, nothing: re.Pattern[str]) -> str | None:
    bare = (text or "").strip().strip(_BRACKETS).strip()
    return None if nothing.fullmatch(bare) or nothing.fullmatch((text or "").strip()) else text
