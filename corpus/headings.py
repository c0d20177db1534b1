"""Heading paths like `3 Operation > 3.2 Start-up`, and text without the heading that it starts with."""

from __future__ import annotations

import re

SEPARATOR = " > "


def last_heading(path: str | None) -> str:
    """The innermost heading of a path, empty where there is none."""
    return (path or "").rsplit(SEPARATOR, 1)[-1]


def without_heading(text: str, path: str | None) -> str:
    """The text without leading lines that the heading path says already; empty if there is nothing else."""
    said = {_letters(part) for part in (path or "").split(SEPARATOR)} - {""}
    lines = text.splitlines()
    while lines and (not lines[0].strip() or _letters(lines[0]) in said):
        lines.pop(0)
    return "\n".join(lines)


def _letters(line: str) -> str:
    return re.sub(r"[\W_]+", "", line).casefold()
