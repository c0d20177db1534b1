"""The parts of CSS that can hide text: declarations, and rules with simple selectors."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from corpus.readers.markup import Node, name_of

Declarations = dict[str, str]
"""Values, keyed by property, both in lower case. If a property is repeated, its last value applies."""

Colour = tuple[int, int, int]

_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_LENGTH = re.compile(r"([+-]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))(px|pt|em|rem|ex|ch|vw|vh|%|cm|mm|in|pc)?")
_PIXELS = {
    None: 1, "px": 1, "pt": 4 / 3, "em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 12, "vh": 8, "%": 8,
    "cm": 38, "mm": 3.8, "in": 96, "pc": 16,
}  # fmt: skip
"""Approximate size of each length unit in CSS pixels."""

_AWAY = -900.0
"""Position in pixels, to the left of the page or above it, at which text is out of sight. Pages use -9999px, and no
layout moves text that far."""
_MIN_FONT_PIXELS = 2.0
"""Minimum font size in pixels that is readable."""
_MIN_OPACITY = 0.05
"""Minimum opacity at which text is readable."""
_NAMED_COLOURS = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
}
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]{1,9})(%?))?\s*\)")
_ALIKE = 12
"""Maximum difference per colour channel that is invisible to people."""


def parse_declarations(style: str) -> Declarations:
    """Parse a style attribute or the body of a rule."""
    values: Declarations = {}
    for part in _CSS_COMMENT.sub("", style).lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            values[name.strip()] = " ".join(value.replace("!important", " ").split())
    return values


def is_out_of_sight(style: Declarations) -> bool:
    """Return whether an element with this style, including everything in it, is invisible."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return True
    if style.get("mso-hide") == "all":  # Outlook and Word mark hidden text in this way
        return True
    opacity = style.get("opacity", "")
    if (match := _LENGTH.fullmatch(opacity)) and float(match[1]) <= _MIN_OPACITY * (100 if match[2] == "%" else 1):
        return True
    return _is_away(style) or _is_without_room(style)


def is_tiny(size: str) -> bool | None:
    """Return whether this font size is unreadable, or None if it depends on the font size of the parent."""
    match = _LENGTH.fullmatch(size)
    if not match:
        return False if size else None
    if match[2] in ("em", "%", "ex", "ch"):
        return True if float(match[1]) * (0.01 if match[2] == "%" else 1) <= 0.1 else None
    return pixels(size) < _MIN_FONT_PIXELS


def pixels(length: str, default: float = 0.0) -> float:
    """Return the approximate length in pixels."""
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _PIXELS[match[2]] if match else default


def colour_of(value: str) -> Colour | None:
    """Parse a colour. Return None if it is unknown or "transparent"."""
    if value in _NAMED_COLOURS:
        return _NAMED_COLOURS[value]
    if re.fullmatch(r"#[0-9a-f]{3,4}", value):
        return _colour(int(letter * 2, 16) for letter in value[1:4])
    if re.fullmatch(r"#[0-9a-f]{6}(?:[0-9a-f]{2})?", value):
        return _colour(int(value[start : start + 2], 16) for start in (1, 3, 5))
    match = _RGB.fullmatch(value)
    return _colour(int(number) for number in match.groups()[:3]) if match else None


def is_clear(value: str) -> bool:
    """Return whether the colour is transparent."""
    match = _RGB.fullmatch(value)
    if match and match[4]:
        return float(match[4]) <= _MIN_OPACITY * (100 if match[5] else 1) if match[4].count(".") < 2 else False
    return value == "transparent" or bool(re.fullmatch(r"#[0-9a-f]{3}0|#[0-9a-f]{6}00", value))


def are_alike(colour: Colour, other: Colour) -> bool:
    """Return whether text in the first colour is invisible on a background in the other."""
    return all(abs(a - b) <= _ALIKE for a, b in zip(colour, other, strict=True))


def _is_away(style: Declarations) -> bool:
    """Return whether the element is far to the left of the page or far above it."""
    sides = ["text-indent", "margin-left", "margin-top"]
    if style.get("position") in ("absolute", "fixed", "relative"):
        sides += ["left", "top"]
    if any(pixels(style.get(side, "")) <= _AWAY for side in sides):
        return True
    transform = style.get("transform", "")
    moves = re.findall(r"translate[xy3d]*\(([^()]{0,100})\)", transform)
    far = any(pixels(part.strip()) <= _AWAY for move in moves for part in move.split(","))
    return far or bool(re.search(r"scale[xy3d]*\(\s*0(?:\.0*)?\s*[,)]", transform))


def _is_without_room(style: Declarations) -> bool:
    """Return whether the element is clipped so that nothing of it is displayed."""
    if re.match(r"rect\(\s*+(?:[01](?:px)?[\s,]*+){4}\)", style.get("clip", "")):
        return True
    if re.match(r"inset\(\s*(?:[5-9]\d|100)%", style.get("clip-path", "")):
        return True
    if not {style.get("overflow"), style.get("overflow-x"), style.get("overflow-y")} & {"hidden", "clip"}:
        return False
    sides = ("height", "max-height", "width", "max-width")
    return any(side in style and pixels(style[side], 99.0) < _MIN_FONT_PIXELS for side in sides)


def _colour(parts: Iterable[int]) -> Colour:
    red, green, blue = parts
    return (red, green, blue)


_MAX_SHEET = 1_000_000
"""Maximum number of characters of a style sheet to parse."""
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)|<!--|-->", re.DOTALL)
_PARTS = re.compile(r"(?<![^{};])[^{};]*+[{};]")
_SIMPLE = re.compile(r"([a-z][a-z0-9]*|\*)?((?:[.#][\w-]{1,100})*)", re.IGNORECASE)
_NAMES = re.compile(r"[.#][\w-]{1,100}")
_HIDING = ("display", "visibility", "opacity")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A CSS rule. `names` are its classes and ids, including the `.` or `#`. `order` is the specificity, then the
    position."""

    element: str
    names: frozenset[str]
    style: Declarations
    order: tuple[int, int, int, int]


@dataclass(slots=True)
class Rules:
    """The CSS rules of a page. `of` returns the declarations for an element. `colours_elsewhere` is true if some
    background colours are unknown."""

    colours_elsewhere: bool = False
    _by_key: dict[str, list[_Rule]] = field(default_factory=lambda: defaultdict(list))
    _conditional_names: set[str] = field(default_factory=set)

    def of(self, node: Node) -> Declarations:
        """Return the declarations of all matching rules; those of stronger rules override those of weaker ones."""
        if not self._by_key:
            return {}
        name = name_of(node).lower()
        names = {f".{each}" for each in (node.get("class") or "").split()}
        names |= {f"#{node.get('id')}"} if node.get("id") else set()
        fitting = [
            rule
            for key in (name, "*", *names)
            for rule in self._by_key.get(key, ())
            if rule.names <= names and rule.element in ("", "*", name)
        ]
        style: Declarations = {}
        for rule in sorted(fitting, key=lambda rule: rule.order):
            is_conditional = bool(rule.names & self._conditional_names)
            style |= {key: value for key, value in rule.style.items() if not (is_conditional and key in _HIDING)}
        return style

    def take(self, sheet: str) -> None:
        """Add the rules in a style sheet."""
        for selectors, style in _parts_of(sheet[:_MAX_SHEET]):
            self._add(selectors, style)

    def _add(self, selectors: str, style: Declarations) -> None:
        for selector in map(str.strip, selectors.split(",")):
            simple = _SIMPLE.fullmatch(selector)
            if not simple or not selector:
                self.colours_elsewhere |= any(key.startswith("background") for key in style)
                if any(style.get(key, "none") not in ("none", "hidden", "0") for key in _HIDING):
                    self._conditional_names.update(_NAMES.findall(re.split(r"[\s>+~]", selector)[-1]))
                continue
            names = frozenset(_NAMES.findall(simple[2]))
            element = (simple[1] or "").lower()
            ids = sum(name.startswith("#") for name in names)
            order = (ids, len(names) - ids, bool(element), sum(map(len, self._by_key.values())))
            self._by_key[min(names, default=element)].append(_Rule(element, names, style, order))


@lru_cache(maxsize=16)  # the pages of a book share their style sheets
def _parts_of(sheet: str) -> tuple[tuple[str, Declarations], ...]:
    """Split a style sheet into selectors and declarations."""
    parts = list[tuple[str, Declarations]]()
    depth, selector, body = 0, "", ""
    for match in _PARTS.finditer(_COMMENT.sub("", sheet)):
        part, end = match[0][:-1], match[0][-1]
        if end == "{":
            depth += 1
            selector, body = (part.strip(), "") if depth == 1 else (selector, "")
        elif end == "}":
            if depth == 1 and not selector.startswith("@"):
                parts.append((selector, parse_declarations(body + part)))
            depth, body = max(0, depth - 1), ""
        elif depth:
            body += part + ";"
    return tuple(parts)


def rules_of(root: Node) -> Rules:
    """Return the rules in the page's own style sheets. External ones are not fetched."""
    rules = Rules()
    rules.colours_elsewhere = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
    for sheet in root.iter("style"):
        if (sheet.get("media") or "all").lower() in ("all", "screen"):
            rules.take(sheet.text_content() if hasattr(sheet, "text_content") else sheet.text or "")
    return rules
