"""Heading paths like `3 Operation > 3.2 Start-up`, and text without its leading heading."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

SEPARATOR = " > "
ENDED = re.compile(r"[.!?:;…][\"'”’»)\]]*\s*$|\|\s*$")
"""Pattern for the end of a line that is not a heading and does not continue on the next line."""
_NUMBER = re.compile(r"^[\d.]+\s+")
_RULE = re.compile(r"[=-]{2,}")
_MAX_TITLE, _MAX_LINES = 120, 3
"""Maximum length of a title line in characters, and maximum number of lines of one heading."""


def last_heading(path: str | None) -> str:
    """Return the innermost heading of a path, or an empty string if there are no headings."""
    return (path or "").rsplit(SEPARATOR, 1)[-1]


def without_heading(text: str, path: str | None) -> str:
    """Return the text without the leading lines that repeat the heading path. The result is empty if nothing
    remains."""
    headings = {_alphanumeric(part) for part in (path or "").split(SEPARATOR)} - {""}
    lines = text.splitlines()
    while lines and (not lines[0].strip() or _alphanumeric(lines[0]) in headings):
        lines.pop(0)
    return "\n".join(lines)


def behind_headings(text: str, path: str | None, start: int, end: int) -> int:
    """Return the start of a sentence, without the headings that precede it.

    `start` moves past headings of the path, title-like lines above them and rules below them, if the text before it
    contains nothing else. Headings are compared without their number and `#`, and may span several lines.
    """
    headings = {_plain(part) for part in (path or "").split(SEPARATOR)} - {""}
    first = len(text) - len(text.lstrip())
    if not headings or text[first:start].strip():
        return start
    lines, begins = _lines(text, start, end), start
    at = 0
    while at < len(lines) - 1:
        if count := _heading(lines[at : min(at + _MAX_LINES, len(lines) - 1)], headings):
            at += count
            begins = lines[at][0]
        elif begins > start and _RULE.fullmatch(lines[at][1]):
            at += 1
            begins = lines[at][0]
        elif begins == start and _is_title(lines[at][1]):
            at += 1
        else:
            break
    return begins


def _lines(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """Return the non-empty lines with their offsets."""
    lines = []
    for line in text[start:end].split("\n"):
        if line.strip():
            lines.append((start, line.strip()))
        start += len(line) + 1
    return lines


def _heading(lines: Sequence[tuple[int, str]], headings: Collection[str]) -> int:
    """Return how many of the first lines together form one heading, or 0 if they do not form any."""
    for count in range(1, len(lines) + 1):
        if _plain(" ".join(line for _, line in lines[:count])) in headings:
            return count
    return 0


def _is_title(line: str) -> bool:
    return len(line) <= _MAX_TITLE and not ENDED.search(line)


def _plain(line: str) -> str:
    """Return the line without its number and Markdown marks."""
    return _NUMBER.sub("", " ".join(line.strip("# \t").split()))


def _alphanumeric(line: str) -> str:
    return re.sub(r"[\W_]+", "", line).casefold()
