"""Numbers of lists and headings, as Word displays them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from corpus.readers.markup import Node, parse_count
from corpus.readers.office.text.docx_styles import W

_INDENT = "  "
_DEPTHS = {str(depth): depth for depth in range(9)}
"""Valid depths, keyed by their text. A list has nine levels, but files may contain other depths."""

_MAX_NUMBER = 32_767
"""Maximum list number, which is Word's own limit."""
_MAX_LETTER_NUMBER = 780
"""Maximum number in letter notation, which is Word's own limit: z repeated 30 times."""
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    text: str = ""


class Numbering:
    """Counts the numbers of lists. Call `mark` for each paragraph in order; it returns the mark that precedes the
    text."""

    def __init__(self, root: Node | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._list_of: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        for node in () if root is None else root:
            if node.tag == f"{W}abstractNum":
                self._levels[node.get(f"{W}abstractNumId", "")] = {
                    _DEPTHS[depth]: _level(level)
                    for level in node.iter(f"{W}lvl")
                    if (depth := level.get(f"{W}ilvl", "0")) in _DEPTHS
                }
            elif node.tag == f"{W}num":
                base = node.find(f"{W}abstractNumId")
                self._list_of[node.get(f"{W}numId", "")] = "" if base is None else base.get(f"{W}val", "")

    def mark(self, number: str, depth: int) -> str:
        """Return a mark such as "- ", "2. " or "1.2 ", indented by depth; empty if there is no such list."""
        key = self._list_of.get(number, "")
        level = self._levels.get(key, {}).get(depth)
        if level is None:
            return ""
        if level.form in ("bullet", "none") or not level.text:
            return "" if level.form == "none" else _INDENT * depth + "- "
        counts = self._counts[key]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        return _INDENT * depth + re.sub(r"%(\d)", lambda match: self._number(key, int(match[1]) - 1), level.text) + " "

    def _number(self, key: str, depth: int) -> str:
        level = self._levels[key].get(depth, _Level())
        return format_number(self._counts[key].get(depth, level.start), level.form)


def _level(node: Node) -> _Level:
    def value(name: str, default: str) -> str:
        element = node.find(f"{W}{name}")
        return default if element is None else element.get(f"{W}val") or default

    start = value("start", "1")
    return _Level(parse_count(start, _MAX_NUMBER), value("numFmt", "decimal"), value("lvlText", ""))


def format_number(count: int, form: str) -> str:
    """Format a number. `form` is Word's name for the format."""
    match form:
        case "lowerLetter" | "upperLetter" if 0 < count <= _MAX_LETTER_NUMBER:
            letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
            return letters.upper() if form == "upperLetter" else letters
        case "lowerRoman" | "upperRoman" if 0 < count < 4000:
            return _roman(count).upper() if form == "upperRoman" else _roman(count)
        case _:
            return str(count)


def _roman(count: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (count // value)
        count %= value
    return text
