"""What the styles of an OpenDocument file say: raised, struck and hidden letters, code, numbers of lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from corpus.readers.fonts import is_code_style, is_monospaced
from corpus.readers.markup import Node, attribute, counted, name_of
from corpus.readers.office.word.numbering import formatted
from corpus.readers.raised_text import Position
from corpus.readers.web.declarations import are_alike, colour_of, pixels

_MAX_CHAIN = 20
_MAX_NUMBER = 32_767
_WHITE = (255, 255, 255)
_TINY = "2.1pt"
"""Nobody reads letters of two points, as in RTF and Word."""

_RAISE = 8.0
"""Percent of a line by which letters must be moved to be raised or lowered; less only evens out a line."""

_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True, slots=True)
class Look:
    """How letters of a style look."""

    is_hidden: bool = False
    is_struck: bool = False
    position: Position | None = None
    is_code: bool = False
    is_white: bool | None = None
    """None where the style says no colour, as `is_tiny` where it says no size."""
    is_tiny: bool | None = None
    font: str = ""
    """Without the number that LibreOffice puts behind the name of a second such font."""


@dataclass(frozen=True, slots=True)
class ListLevel:
    """`form` is empty for bullets."""

    form: str = ""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown: int = 1
    """How many levels a number shows: 2 for "1.2"."""


class Styles:
    """`roots` are the content and the styles of the file."""

    def __init__(self, roots: Sequence[Node]) -> None:
        self._nodes: dict[str, Node] = {}
        self._levels: dict[str, dict[int, ListLevel]] = {}
        for root in roots:
            for style in root.iter("{*}style"):
                self._nodes.setdefault(attribute(style, "name") or "", style)
            for style in root.iter("{*}list-style"):
                self._levels.setdefault(attribute(style, "name") or "", _levels(style))
        self._pages = [each for root in roots for each in root.iter("{*}page-layout")]
        self.look = cache(self._look)
        usual = [
            each
            for root in roots
            for each in root.iter("{*}default-style")
            if attribute(each, "family") == "paragraph"
        ]
        self._typewritten = any(
            is_monospaced(_font(each)) for each in [*usual, *filter(None, [self._nodes.get("Standard")])]
        )

    @property
    def has_grounds(self) -> bool:
        """Whether pages or paragraphs have a colour, so that white letters may be seen."""
        return any(
            (attribute(each, "background-color") or "transparent") not in ("transparent", "#ffffff")
            or (attribute(each, "fill") or "none") != "none"
            for style in (*self._nodes.values(), *self._pages)
            for each in style
            if name_of(each) in ("paragraph-properties", "page-layout-properties", "drawing-page-properties")
        )

    def chain(self, name: str | None) -> list[Node]:
        """A style and those that it goes back to, nearest first."""
        chain: list[Node] = []
        while name in self._nodes and self._nodes[name] not in chain and len(chain) < _MAX_CHAIN:
            chain.append(self._nodes[name])
            name = attribute(chain[-1], "parent-style-name")
        return chain

    def named(self, name: str | None) -> str | None:
        """The name that a person gave to the style, for one that the program made on top of it."""
        if not name or not re.fullmatch(r"P\d+", name) or name not in self._nodes:
            return name
        return attribute(self._nodes[name], "parent-style-name") or name

    def level(self, style: str, depth: int) -> ListLevel | None:
        """None where the style says nothing of that depth, counted from 1."""
        return self._levels.get(style, {}).get(depth)

    def _look(self, name: str | None) -> Look:
        chain = self.chain(name)
        properties = [each for style in chain for each in style if name_of(each) == "text-properties"]

        def said(key: str) -> str:
            return next((value for each in properties if (value := attribute(each, key)) is not None), "")

        names = [attribute(style, "display-name") or attribute(style, "name") or "" for style in chain]
        font = next(filter(None, map(_font, chain)), "")
        struck = said("text-line-through-style") or said("text-line-through-type")
        return Look(
            is_hidden=said("display") == "none",
            is_struck=struck not in ("", "none"),
            position=_position(said("text-position")),
            is_code=any(map(is_code_style, names)) or (is_monospaced(font) and not self._typewritten),
            font=re.sub(r"(?<=[^\W\d])\d+$", "", font.strip("'")),
            is_white=_is_white(said),
            is_tiny=pixels(said("font-size")) < pixels(_TINY) if said("font-size").endswith("pt") else None,
        )


def _is_white(said: Callable[[str], str]) -> bool | None:
    """Whether letters are as good as white, and on nothing else. None where no colour is said."""
    if said("use-window-font-color") == "true" or said("background-color") not in (
        "",
        "transparent",
        "#ffffff",
    ):
        return False
    colour = colour_of(said("color").lower())
    return are_alike(colour, _WHITE) if colour else None


def _font(style: Node) -> str:
    for each in style.iter("{*}text-properties"):
        if font := attribute(each, "font-name") or attribute(each, "font-family"):
            return font
    return ""


def _position(text: str) -> Position | None:
    first = text.split(maxsplit=1)[0] if text.split() else ""
    if first in ("super", "sub"):
        return "raised" if first == "super" else "lowered"
    found = re.fullmatch(r"(-?\d{1,4}(?:\.\d{1,4})?)%", first)
    if not found or abs(float(found[1])) < _RAISE:
        return None
    return "lowered" if found[1].startswith("-") else "raised"


def _levels(style: Node) -> dict[int, ListLevel]:
    levels = {}
    for level in style:
        depth = counted(attribute(level, "level"), 10)
        if name_of(level) != "list-level-style-number":
            levels[depth] = ListLevel()
            continue
        levels[depth] = ListLevel(
            _FORMS.get(attribute(level, "num-format") or "", ""),
            attribute(level, "num-prefix") or "",
            attribute(level, "num-suffix") or "",
            counted(attribute(level, "start-value"), _MAX_NUMBER),
            counted(attribute(level, "display-levels"), 10),
        )
    return levels


class ListNumbers:
    """Counts the items of lists, as they come."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = {}

    def begin(self, style: str, depth: int, *, goes_on: bool) -> None:
        """A list begins, which may go on with the numbers of the last of its style."""
        if not goes_on:
            self._counts.setdefault(style, {}).pop(depth, None)

    def mark(self, style: str, depth: int, start: str | None) -> str:
        """ "- ", "2. " or "1.2 " for the next item. `start` is the number that the item sets itself."""
        level = self._styles.level(style, depth)
        if level is None or not level.form:
            return "- "
        counts = self._counts.setdefault(style, {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        if start is not None:
            counts[depth] = counted(start, _MAX_NUMBER, counts[depth])
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        numbers = []
        for each in range(max(1, depth - level.shown + 1), depth + 1):
            outer = self._styles.level(style, each) or level
            numbers.append(formatted(counts.get(each, outer.start), outer.form or "decimal"))
        return f"{level.prefix}{'.'.join(numbers)}{level.suffix} "
