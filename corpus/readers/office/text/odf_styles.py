"""Styles of OpenDocument files: raised, struck-out and hidden text, code, and list numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from corpus.readers.markup import Node, attribute, name_of, parse_count
from corpus.readers.office.list_numbers import format_number
from corpus.readers.typography import Position, is_code_style, is_monospaced
from corpus.readers.web.css import are_alike, colour_of, pixels

_MAX_CHAIN = 20
"""Maximum length of a chain of parent styles."""
_MAX_NUMBER = 32_767
"""Maximum list number, which is LibreOffice's own limit."""
_WHITE = (255, 255, 255)
_TINY = "2.1pt"
"""Font size below which text is unreadable: two points plus a rounding margin, the same limit as for RTF and Word."""

_RAISE = 8.0
"""Minimum shift of raised or lowered text, in percent of a line's height. Smaller shifts only align it."""

_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True, slots=True)
class Look:
    """Formatting of text that a style sets."""

    is_hidden: bool = False
    is_struck: bool = False
    position: Position | None = None
    is_code: bool = False
    is_white: bool | None = None
    """Whether text is white; None if the style sets no colour. `is_tiny` is None if the style sets no size."""
    is_tiny: bool | None = None
    font: str = ""
    """Font name, without the number that LibreOffice appends to a second font of the same name."""


@dataclass(frozen=True, slots=True)
class ListLevel:
    """A level of a list. `form` is empty for bullets."""

    form: str = ""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    level_count: int = 1
    """Number of levels that a list number includes, for example 2 for "1.2"."""


class Styles:
    """The styles of a file. `roots` are its content and its styles part."""

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
            each for root in roots for each in root.iter("{*}default-style") if attribute(each, "family") == "paragraph"
        ]
        self._typewritten = any(
            is_monospaced(_font(each)) for each in [*usual, *filter(None, [self._nodes.get("Standard")])]
        )

    @property
    def has_grounds(self) -> bool:
        """Whether pages or paragraphs have a background colour on which white text may be visible."""
        return any(
            (attribute(each, "background-color") or "transparent") not in ("transparent", "#ffffff")
            or (attribute(each, "fill") or "none") != "none"
            for style in (*self._nodes.values(), *self._pages)
            for each in style
            if name_of(each) in ("paragraph-properties", "page-layout-properties", "drawing-page-properties")
        )

    def chain(self, name: str | None) -> list[Node]:
        """Return a style and its ancestors, nearest first."""
        chain: list[Node] = []
        while name in self._nodes and self._nodes[name] not in chain and len(chain) < _MAX_CHAIN:
            chain.append(self._nodes[name])
            name = attribute(chain[-1], "parent-style-name")
        return chain

    def source_name(self, name: str | None) -> str | None:
        """Return the user's style from which an automatic style is derived."""
        if not name or not re.fullmatch(r"P\d+", name) or name not in self._nodes:
            return name
        return attribute(self._nodes[name], "parent-style-name") or name

    def level(self, style: str, depth: int) -> ListLevel | None:
        """Return a list level (1-based), or None if the style does not define it."""
        return self._levels.get(style, {}).get(depth)

    def _look(self, name: str | None) -> Look:
        chain = self.chain(name)
        properties = [each for style in chain for each in style if name_of(each) == "text-properties"]

        def value_of(key: str) -> str:
            return next((value for each in properties if (value := attribute(each, key)) is not None), "")

        names = [attribute(style, "display-name") or attribute(style, "name") or "" for style in chain]
        font = next(filter(None, map(_font, chain)), "")
        struck = value_of("text-line-through-style") or value_of("text-line-through-type")
        return Look(
            is_hidden=value_of("display") == "none",
            is_struck=struck not in ("", "none"),
            position=_position(value_of("text-position")),
            is_code=any(map(is_code_style, names)) or (is_monospaced(font) and not self._typewritten),
            font=re.sub(r"(?<=[^\W\d])\d+$", "", font.strip("'")),
            is_white=_is_white(value_of),
            is_tiny=pixels(value_of("font-size")) < pixels(_TINY) if value_of("font-size").endswith("pt") else None,
        )


def _is_white(value_of: Callable[[str], str]) -> bool | None:
    """Return whether text is nearly white without a background; None if no colour is set."""
    if value_of("use-window-font-color") == "true" or value_of("background-color") not in (
        "",
        "transparent",
        "#ffffff",
    ):
        return False
    colour = colour_of(value_of("color").lower())
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
    match = re.fullmatch(r"(-?\d{1,4}(?:\.\d{1,4})?)%", first)
    if not match or abs(float(match[1])) < _RAISE:
        return None
    return "lowered" if match[1].startswith("-") else "raised"


def _levels(style: Node) -> dict[int, ListLevel]:
    levels = {}
    for level in style:
        depth = parse_count(attribute(level, "level"), 10)
        if name_of(level) != "list-level-style-number":
            levels[depth] = ListLevel()
            continue
        levels[depth] = ListLevel(
            _FORMS.get(attribute(level, "num-format") or "", ""),
            attribute(level, "num-prefix") or "",
            attribute(level, "num-suffix") or "",
            parse_count(attribute(level, "start-value"), _MAX_NUMBER),
            parse_count(attribute(level, "display-levels"), 10),
        )
    return levels


class ListNumbers:
    """Counts list items in document order."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = {}

    def begin(self, style: str, depth: int, *, goes_on: bool) -> None:
        """Start a list, which may continue the last list of the same style."""
        if not goes_on:
            self._counts.setdefault(style, {}).pop(depth, None)

    def mark(self, style: str, depth: int, start: str | None) -> str:
        """Return the mark of the next item, such as "- ", "2. " or "1.2 ". `start` is the number that the item sets, if
        any."""
        level = self._styles.level(style, depth)
        if level is None or not level.form:
            return "- "
        counts = self._counts.setdefault(style, {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        if start is not None:
            counts[depth] = parse_count(start, _MAX_NUMBER, counts[depth])
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        numbers = []
        for each in range(max(1, depth - level.level_count + 1), depth + 1):
            outer = self._styles.level(style, each) or level
            numbers.append(format_number(counts.get(each, outer.start), outer.form or "decimal"))
        return f"{level.prefix}{'.'.join(numbers)}{level.suffix} "
