"""Detect shapes off the slide, and white text on its white background."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pptx.enum.dml import MSO_COLOR_TYPE, MSO_THEME_COLOR

_WHITE = "FFFFFF"
_TINY = 25_400
"""Two points, in EMU: nobody can read them."""

_GROUNDS = ("bg1", "lt1")
Frame = tuple[int, int, int, int]
"""Left, top, right, bottom, in EMU."""


class Surroundings:
    """A slide's size, and where filled shapes may lie behind its text."""

    def __init__(self, slide: Any, size: tuple[int, int]) -> None:
        self._size = size
        layers = [slide, slide.slide_layout, slide.slide_layout.slide_master]
        self._is_white = all(_is_white(layer) for layer in layers)
        self._filled_frames = [frame for layer in layers for frame in _filled_frames(layer.shapes)]

    def is_off(self, shape: Any) -> bool:
        """Return whether a shape lies completely off the slide."""
        frame = _frame(shape)
        width, height = self._size
        return frame is not None and not (frame[0] < width and frame[2] > 0 and frame[1] < height and frame[3] > 0)

    def is_white_behind(self, shape: Any) -> bool:
        """Return whether a shape's white text would be invisible; False where position or background is unknown."""
        frame = _frame(shape)
        if frame is None or not self._is_white or _may_be_filled(shape):
            return False
        return not any(_meet(frame, other) for other in self._filled_frames)


def is_unseen(run: Any, *, on_white: bool) -> bool:
    """Return whether a run's text is tiny, or white on white."""
    if run.font.size is not None and run.font.size <= _TINY:
        return True
    colour = run.font.color if on_white else None
    if colour is None or colour.type is None:
        return False
    if colour.type == MSO_COLOR_TYPE.RGB:
        return str(colour.rgb) == _WHITE
    return colour.type == MSO_COLOR_TYPE.SCHEME and (
        colour.theme_color == MSO_THEME_COLOR.BACKGROUND_1 and not colour.brightness
    )


def _is_white(layer: Any) -> bool:
    """Return whether a slide, layout or master has no background but white."""
    grounds = layer._element.xpath("./p:cSld/p:bg")
    if not grounds:
        return True
    colours = [*grounds[0].iter("{*}srgbClr"), *grounds[0].iter("{*}schemeClr")]
    values = [str(colour.get("val")) for colour in colours if not len(colour)]
    if len(colours) != 1 or not values or any(True for _ in grounds[0].iter("{*}blip", "{*}gradFill")):
        return False
    return values[0].upper() == _WHITE or values[0] in _GROUNDS


def _filled_frames(shapes: Iterable[Any]) -> Iterator[Frame]:
    for shape in shapes:
        frame = _frame(shape)
        if frame is not None and _may_be_filled(shape):
            yield frame


def _may_be_filled(shape: Any) -> bool:
    """Return whether a shape is anything but a text frame without fill."""
    if not getattr(shape, "has_text_frame", False):
        return True
    properties = shape._element.find("{*}spPr")
    if properties is None or any(True for _ in shape._element.iter("{*}style")):
        return True
    names = {str(child.tag).rpartition("}")[2] for child in properties}
    return bool(names & {"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"})


def _frame(shape: Any) -> Frame | None:
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    return (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)


def _meet(frame: Frame, other: Frame) -> bool:
    return frame[0] < other[2] and other[0] < frame[2] and frame[1] < other[3] and other[1] < frame[3]
