"""Declarations of CSS as far as they can hide text: sizes, colours, and what puts an element out of sight."""

from __future__ import annotations

import re
from collections.abc import Iterable

Declared = dict[str, str]
"""Property and value, both in small letters; of several for one property the last."""

Colour = tuple[int, int, int]

_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_LENGTH = re.compile(r"([+-]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))(px|pt|em|rem|ex|ch|vw|vh|%|cm|mm|in|pc)?")
_PIXELS = {
    None: 1, "px": 1, "pt": 4 / 3, "em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 12, "vh": 8, "%": 8,
    "cm": 38, "mm": 3.8, "in": 96, "pc": 16,
}  # fmt: skip
"""About how many of a browser's pixels a unit is."""

_AWAY = -900.0
_SMALLEST = 2.0
_FAINTEST = 0.05
_NAMED = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240)}
_NUMBERS = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]{1,9})(%?))?\s*\)")
_ALIKE = 12


def declared(style: str) -> Declared:
    """What a style attribute or the inside of a rule says."""
    found: Declared = {}
    for part in _COMMENT.sub("", style).lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip()] = " ".join(value.replace("!important", " ").split())
    return found


def is_out_of_sight(said: Declared) -> bool:
    """Whether nothing within such an element can be seen."""
    if said.get("display") == "none" or said.get("content-visibility") == "hidden":
        return True
    if said.get("mso-hide") == "all":  # by Outlook and Word, which write it for what they hide
        return True
    opacity = said.get("opacity", "")
    if (found := _LENGTH.fullmatch(opacity)) and float(found[1]) <= _FAINTEST * (
        100 if found[2] == "%" else 1
    ):
        return True
    return _is_away(said) or _is_without_room(said)


def is_tiny(size: str) -> bool | None:
    """Whether letters of this font-size cannot be read; None where it depends on that around it."""
    found = _LENGTH.fullmatch(size)
    if not found:
        return False if size else None
    if found[2] in ("em", "%", "ex", "ch"):
        return True if float(found[1]) * (0.01 if found[2] == "%" else 1) <= 0.1 else None
    return pixels(size) < _SMALLEST


def pixels(length: str, default: float = 0.0) -> float:
    """About how many a length is."""
    found = _LENGTH.fullmatch(length)
    return float(found[1]) * _PIXELS[found[2]] if found else default


def colour_of(value: str) -> Colour | None:
    """None for one that cannot be told; "transparent" is none either."""
    if value in _NAMED:
        return _NAMED[value]
    if re.fullmatch(r"#[0-9a-f]{3,4}", value):
        return _colour(int(letter * 2, 16) for letter in value[1:4])
    if re.fullmatch(r"#[0-9a-f]{6}(?:[0-9a-f]{2})?", value):
        return _colour(int(value[start : start + 2], 16) for start in (1, 3, 5))
    found = _NUMBERS.fullmatch(value)
    return _colour(int(number) for number in found.groups()[:3]) if found else None


def is_clear(value: str) -> bool:
    """Whether what is painted in this colour is not there."""
    found = _NUMBERS.fullmatch(value)
    if found and found[4]:
        return float(found[4]) <= _FAINTEST * (100 if found[5] else 1) if found[4].count(".") < 2 else False
    return value == "transparent" or bool(re.fullmatch(r"#[0-9a-f]{3}0|#[0-9a-f]{6}00", value))


def are_alike(one: Colour, other: Colour) -> bool:
    """Whether letters of the one cannot be told from a ground of the other."""
    return all(abs(a - b) <= _ALIKE for a, b in zip(one, other, strict=True))


def _is_away(said: Declared) -> bool:
    """Far to the left of the page or above it."""
    sides = ["text-indent", "margin-left", "margin-top"]
    if said.get("position") in ("absolute", "fixed", "relative"):
        sides += ["left", "top"]
    if any(pixels(said.get(side, "")) <= _AWAY for side in sides):
        return True
    transform = said.get("transform", "")
    moves = re.findall(r"translate[xy3d]*\(([^()]{0,100})\)", transform)
    far = any(pixels(part.strip()) <= _AWAY for move in moves for part in move.split(","))
    return far or bool(re.search(r"scale[xy3d]*\(\s*0(?:\.0*)?\s*[,)]", transform))


def _is_without_room(said: Declared) -> bool:
    if re.match(r"rect\(\s*+(?:[01](?:px)?[\s,]*+){4}\)", said.get("clip", "")):
        return True
    if re.match(r"inset\(\s*(?:[5-9]\d|100)%", said.get("clip-path", "")):
        return True
    if not {said.get("overflow"), said.get("overflow-x"), said.get("overflow-y")} & {"hidden", "clip"}:
        return False
    sides = ("height", "max-height", "width", "max-width")
    return any(side in said and pixels(said[side], 99.0) < _SMALLEST for side in sides)


def _colour(parts: Iterable[int]) -> Colour:
    red, green, blue = parts
    return (red, green, blue)
