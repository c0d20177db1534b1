"""Encode the steps of a reader as frame heads, and decode them. Every field is checked, because the reading process may
be compromised.

A dataclass becomes a list of its fields; at the top level, it becomes an object. The decoders follow the annotations of
the fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from corpus.documents.block import Picture
from corpus.processes.child import GarbledFrame, Head
from corpus.readers.ocr.engine import RecognitionResult
from corpus.readers.pinned_file import FileState
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step

PICTURE_STARTS = {"image/png": b"\x89PNG\r\n", "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF"}
"""First bytes of each picture format that a block may contain."""

_PLACE = re.compile(r"[A-Za-z0-9_\-=]{1,64}")
_MAX_TEXT = 100_000
"""Maximum length of a text in characters. A block has 1,500, and a warning lists only a few files."""
_MAX_SIDE = 1e6
"""Maximum absolute value of a coordinate, in points or pixels."""
_MAX_STATE = 1 << 64
"""Maximum value of a file's inode, size and times. Only these numbers may be negative."""

_KINDS: dict[str, type[Step]] = {"page": PageDone, "block": ReadBlock, "document": ReadDocument}


def encode_step(step: Step) -> tuple[Head, bytes]:
    """Return the head and data of the frame for this step."""
    kind = next(kind for kind, its_type in _KINDS.items() if isinstance(step, its_type))
    if isinstance(step, ReadBlock) and step.picture:
        return _message(kind, step) | {"picture": step.picture.mime_type}, step.picture.data
    return _message(kind, step), b""


def decode_step(head: Head, data: bytes) -> Step:
    """Return the step in a frame. Raises GarbledFrame if a field breaks the contract."""
    kind = head.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise GarbledFrame(f"no step is called {kind!r}")
    picture = head.get("picture")
    step: Step = _object(_KINDS[kind], head | {"picture": None, "blocks": []})
    if isinstance(step, PageDone) and step.read and step.read[0] > step.read[1]:
        raise GarbledFrame("more pages are read than there are")
    places = (step.place,) if isinstance(step, ReadBlock) else step.pending if isinstance(step, ReadDocument) else ()
    if not all(map(_PLACE.fullmatch, places)):
        raise GarbledFrame(f"no block has a place in {places!r}")
    if isinstance(step, ReadBlock) and picture is not None:
        return replace(step, picture=picture_of(picture, data))
    return step


def encode_recognised(recognised: RecognitionResult) -> Head:
    """Return the head of the frame for an OCR result."""
    return _message("recognised", recognised)


def decode_recognised(head: Head) -> RecognitionResult:
    """Return the OCR result in a frame. Raises GarbledFrame if a field breaks the contract."""
    result = cast(RecognitionResult, _object(RecognitionResult, head))
    if min(*result.size, result.pixels_a_point) <= 0:
        raise GarbledFrame("a picture has a width, a height and a scale")
    return result


def picture_of(mime_type: object, data: bytes) -> Picture:
    """Return the picture. Raises GarbledFrame if its first bytes do not match the media type."""
    start = PICTURE_STARTS.get(mime_type) if isinstance(mime_type, str) else None
    if start is None or not data.startswith(start):
        raise GarbledFrame(f"no picture of type {mime_type!r}")
    return Picture(data, cast(str, mime_type))


def page_count_of(head: Head) -> int:
    """Return the page count in an answer. Raises GarbledFrame if it is invalid."""
    return cast(int, _decoder(int)(head.get("pages")))


def page_size_of(value: object) -> tuple[float, float]:
    """Return the width and height in points. Raises GarbledFrame if they are invalid."""
    size = cast(tuple[float, float], _decoder(tuple[float, float])(value))
    if min(size) <= 0:
        raise GarbledFrame("a page has a width and a height")
    return size


def _message(kind: str, step: Any) -> Head:
    return {"kind": kind, **{name: _plain(getattr(step, name)) for name in _hints(step.__class__) if name != "blocks"}}


def _plain(value: Any) -> Any:
    """Return the value in JSON types. The bytes of a picture are not in the head; they are sent separately."""
    if is_dataclass(value):
        names = () if isinstance(value, Picture) else _hints(cast(Any, value.__class__))
        return [_plain(getattr(value, name)) for name in names] or None
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _object(kind: Any, head: Head) -> Any:
    return kind(**{name: _decoder(hint)(head.get(name)) for name, hint in _hints(kind).items()})


@cache
def _decoder(kind: Any) -> Callable[[Any], Any]:  # noqa: PLR0911  one case per kind of annotation
    """Return a function that checks a JSON value and converts it to this annotation, or raises GarbledFrame."""
    if isinstance(kind, UnionType):
        inner = _decoder(get_args(kind)[0])
        return lambda value: None if value is None else inner(value)
    if get_origin(kind) is Literal:
        return _check(str, lambda value: value in get_args(kind))
    if get_origin(kind) is tuple and get_args(kind)[-1] is Ellipsis:
        inner = _decoder(get_args(kind)[0])
        return lambda value: tuple(map(inner, _list(value)))
    if kind is FileState:
        number = _check(int, lambda value: abs(value) < _MAX_STATE)
        return lambda value: FileState(*map(number, _list(value, len(FileState._fields))))
    if get_origin(kind) is tuple or is_dataclass(kind):
        parts = [_decoder(each) for each in get_args(kind) or _hints(kind).values()]
        make: Callable[..., Any] = cast(Any, kind) if is_dataclass(kind) else lambda *values: values
        return lambda value: make(*(part(each) for part, each in zip(parts, _list(value, len(parts)), strict=True)))
    if kind is float:
        side = _check((int, float), lambda value: abs(value) < _MAX_SIDE)
        return lambda value: float(side(value))
    if kind is int:
        return _check(int, lambda value: 0 <= value < 1 << 53)
    return _check(str, lambda value: len(value) <= _MAX_TEXT)


def _check(kind: type | tuple[type, ...], is_valid: Callable[[Any], bool]) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool) or not is_valid(value):
            raise GarbledFrame(f"{str(value)[:100]!r} breaks the contract")
        return value

    return check


def _list(value: Any, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        raise GarbledFrame("a list is missing or has another length")
    return value
