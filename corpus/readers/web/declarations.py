"""CSS declarations, as far as they can hide text: sizes, colours, positions."""

from __future__ import annotations

import re
from collections.abc import Iterable

Declared = dict[str, str]
"""Values by property, both in lower case; the last one wins."""

Colour = tuple[int, int, int]

_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_LENGTH = re.compile(r"([+-]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))(px|pt|em|rem|ex|ch|vw|vh|%|cm|mm|in|pc)?")
_PIXELS = {
    None: 1, "px": 1, "pt": 4 / 3, "em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 12, "vh": 8, "%": 8,
    "cm": 38, "mm": 3.8, "in": 96, "pc": 16,
}  # fmt: skip
"""About how many CSS pixels a unit has."""

_AWAY = -900.0
"""Pixels left of the page or above it; pages use -9999px, and no layout moves text that far."""
_SMALLEST = 2.0
"""Pixels of a font size below which nobody can read."""
_FAINTEST = 0.05
"""Opacity below which nobody can read."""
_NAMED = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240)}
_NUMBERS = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]{1,9})(%?))?\s*\)")
_ALIKE = 12
"""Difference per colour channel that nobody can tell."""


def declared(style: str) -> Declared:
    """Parse a style attribute or the inside of a rule."""
    values: Declared = {}
    for part in _COMMENT.sub("", style).lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            values[name.strip()] = " ".join(value.replace("!important", " ").split())
    return values


def is_out_of_sight(style: Declared) -> bool:
    """Return whether nothing within such an element is visible."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return True
    if style.get("mso-hide") == "all":  # Outlook and Word mark hidden text with it
        return True
    opacity = style.get("opacity", "")
    if (match := _LENGTH.fullmatch(opacity)) and float(match[1]) <= _FAINTEST * (
        100 if match[2] == "%" else 1
    ):
        return True
    return _is_away(style) or _is_without_room(style)


def is_tiny(size: str) -> bool | None:
    """Return whether this font size is unreadable; None where it depends on the parent's."""
    match = _LENGTH.fullmatch(size)
    if not match:
        return False if size else None
    if match[2] in ("em", "%", "ex", "ch"):
        return True if float(match[1]) * (0.01 if match[2] == "%" else 1) <= 0.1 else None
    return pixels(size) < _SMALLEST


def pixels(length: str, default: float = 0.0) -> float:
    """Return about how many pixels a length has."""
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _PIXELS[match[2]] if match else default


def colour_of(value: str) -> Colour | None:
    """Parse a colour; None where it is unknown or "transparent"."""
    if value in _NAMED:
        return _NAMED[value]
    if re.fullmatch(r"#[0-9a-f]{3,4}", value):
        return _colour(int(letter * 2, 16) for letter in value[1:4])
    if re.fullmatch(r"#[0-9a-f]{6}(?:[0-9a-f]{2})?", value):
        return _colour(int(value[start : start + 2], 16) for start in (1, 3, 5))
    match = _NUMBERS.fullmatch(value)
    return _colour(int(number) for number in match.groups()[:3]) if match else None


def is_clear(value: str) -> bool:
    """Return whether the colour is transparent."""
    match = _NUMBERS.fullmatch(value)
    if match and match[4]:
        return float(match[4]) <= _FAINTEST * (100 if match[5] else 1) if match[4].count(".") < 2 else False
    return value == "transparent" or bool(re.fullmatch(r"#[0-9a-f]{3}0|#[0-9a-f]{6}00", value))


def are_alike(colour: Colour, other: Colour) -> bool:
    """Return whether text of the first colour is invisible on the other."""
    return all(abs(a - b) <= _ALIKE for a, b in zip(colour, other, strict=True))


def _is_away(style: Declared) -> bool:
    """Return whether the element is far left of the page or above it."""
    sides = ["text-indent", "margin-left", "margin-top"]
    if style.get("position") in ("absolute", "fixed", "relative"):
        sides += ["left", "top"]
    if any(pixels(style.get(side, "")) <= _AWAY for side in sides):
        return True
    transform = style.get("transform", "")
    moves = re.findall(r"translate[xy3d]*\(([^()]{0,100})\)", transform)
    far = any(pixels(part.strip()) <= _AWAY for move in moves for part in move.split(","))
    return far or bool(re.search(r"scale[xy3d]*\(\s*0(?:\.0*)?\s*[,)]", transform))


def _is_without_room(style: Declared) -> bool:
    """Return whether the element is clipped to nothing."""
    if re.match(r"rect\(\s*+(?:[01](?:px)?[\s,]*+){4}\)", style.get("clip", "")):
        return True
    if re.match(r"inset\(\s*(?:[5-9]\d|100)%", style.get("clip-path", "")):
        return True
    if not {style.get("overflow"), style.get("overflow-x"), style.get("overflow-y")} & {"hidden", "clip"}:
        return False
    sides = ("height", "max-height", "width", "max-width")
    return any(side in style and pixels(style[side], 99.0) < _SMALLEST for side in sides)


def _colour(parts: Iterable[int]) -> Colour:
    red, green, blue = parts
    return (red, green, blue)
