"""The source of an RTF without the words that it hides: hidden, deleted, white or tiny by their character formats."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_TOKEN = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'[0-9a-fA-F]{2}|\\[^a-z]|[{}]|[^\\{}]+|\\", re.DOTALL)
_COLOURS = re.compile(r"\{\\colortbl([^{}]{0,20000})\}")
_LEVEL = re.compile(r"\\(red|green|blue)(\d{1,3})")
_GROUNDS = {"highlight", "chcbpat", "cb", "cbpat", "clcbpat", "clshdng", "chshdng", "shading", "trcbpat"}
_ASIDE = {"stylesheet", "fonttbl", "colortbl", "info", "listtable", "pict"}
_TINY = 4
"""Half points."""

_PALEST = 250


@dataclass(frozen=True, slots=True)
class _Format:
    """What hides letters within a group."""

    hidden: bool = False
    deleted: bool = False
    white: bool = False
    tiny: bool = False
    aside: bool = False
    """Whether it is no text of the page: styles, fonts and the like."""

    @property
    def is_unseen(self) -> bool:
        return not self.aside and (self.hidden or self.deleted or self.white or self.tiny)


def without_unseen(source: str) -> tuple[str, int]:
    """The source without them, and how many passages they were. White counts where no ground has a colour."""
    white = _white_colours(source)
    if any(f"\\{ground}" in source for ground in _GROUNDS):
        white = set()
    kept: list[str] = []
    groups: list[_Format] = []
    now, count, is_within = _Format(), 0, False
    for found in _TOKEN.finditer(source):
        part, word = found[0], found[1]
        if part == "{":
            groups.append(now)
        elif part == "}":
            now = groups.pop() if groups else _Format()
        elif part == "\\*" or word in _ASIDE:
            now = replace(now, aside=True)
        elif word and word != "u":
            now = _after(now, word, found[2], white)
        elif now.is_unseen and part.strip():
            count += not is_within
            is_within = True
            continue
        if not now.is_unseen:
            is_within = False
        kept.append(part)
    return "".join(kept), count


def _after(now: _Format, word: str, number: str | None, white: set[int]) -> _Format:
    """The format behind a control word. Behind \\plain it is the usual one."""
    value = None if number is None else int(number)
    match word:
        case "plain":
            return replace(now, hidden=False, white=False, tiny=False)
        case "v":
            return replace(now, hidden=value != 0)
        case "deleted":
            return replace(now, deleted=value != 0)
        case "cf":
            return replace(now, white=value in white)
        case "fs":
            return replace(now, tiny=value is not None and value <= _TINY)
    return now


def _white_colours(source: str) -> set[int]:
    table = _COLOURS.search(source)
    colours = table[1].split(";") if table else []
    found = set()
    for number, colour in enumerate(colours):
        levels = {name: int(value) for name, value in _LEVEL.findall(colour)}
        if len(levels) == 3 and min(levels.values()) >= _PALEST:
            found.add(number)
    return found
