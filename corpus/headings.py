"""Heading paths like `3 Operation > 3.2 Start-up`, and text without the heading that it starts with."""

from __future__ import annotations

import re

SEPARATOR = " > "
ENDED = re.compile(r"[.!?:;…][\"'”’»)\]]*\s*$|\|\s*$")
"""A line of text that is no heading and does not go on."""
_NUMBER = re.compile(r"^[\d.]+\s+")
_LONGEST_TITLE, _SHORTEST_HEADING = 120, 3


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


def behind_headings(text: str, path: str | None, start: int, end: int) -> int:
    """Where a sentence begins that is told with the headings above it: behind the last line that is a heading of the
    path, where all lines before it are headings or look like a title."""
    path = (path or "").casefold()
    last = start + len(text[start:end].rstrip())
    at = start
    while path and (newline := text.find("\n", at, last)) >= 0:
        line = text[at:newline].strip()
        at = newline + 1
        if _is_heading(line, path):
            start = at
        elif len(line) > _LONGEST_TITLE or ENDED.search(line):
            break
    return start


def _is_heading(line: str, path: str) -> bool:
    """With its number or without."""
    plain = _NUMBER.sub("", line.casefold())
    return line.casefold() in path or (len(plain) >= _SHORTEST_HEADING and plain in path)


def _letters(line: str) -> str:
    return re.sub(r"[\W_]+", "", line).casefold()
