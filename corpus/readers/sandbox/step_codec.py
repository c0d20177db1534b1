"""Encode a reader's steps as frame heads and decode them, checking every field: the process may be compromised."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, cast

from corpus.documents.block import BlockType, Box, Picture
from corpus.documents.document import OutlineEntry
from corpus.documents.line_boxes import LineBox
from corpus.processes.child import GarbledFrame, Head
from corpus.readers.files import FileState
from corpus.readers.ocr.results import Piece, RecognitionResult, corners_of
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step

PICTURE_STARTS = {"image/png": b"\x89PNG\r\n", "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF"}
"""First bytes of each picture format that a block may have."""

_PLACE = re.compile(r"[A-Za-z0-9_\-=]{1,64}")
_INTEGER = re.compile(r"-?\d{1,40}")
_MAX_TEXT = 100_000
"""Characters of one text; a block has 1,500 and a warning names at most some files."""
_TEXTS = ("image_caption", "page_label", "heading", "language", "source_hash")
_NUMBERS = ("page_number", "start_line", "end_line", "char_start", "char_end")


def encode_step(step: Step) -> tuple[Head, bytes]:
    """Return head and data of the step's frame."""
    match step:
        case PageDone():
            return {"kind": "page", "number": step.number, "read": step.read}, b""
        case ReadBlock():
            return _block_message(step)
        case ReadDocument():
            return _document_message(step), b""


def decode_step(head: Head, data: bytes) -> Step:
    """Return a frame's step. Raises GarbledFrame where a field breaks the contract."""
    match head.get("kind"):
        case "page":
            return PageDone(_number(head, "number") or 0, _pages_read(head))
        case "block":
            return _block(head, data)
        case "document":
            return _document(head)
        case other:
            raise GarbledFrame(f"no step is called {other!r}")


def encode_recognised(recognised: RecognitionResult) -> Head:
    """Return the head of the frame with a picture's recognised text."""
    pieces = [(piece.text, *(n for corner in piece.corners for n in corner)) for piece in recognised.pieces]
    head: Head = {field.name: getattr(recognised, field.name) for field in fields(RecognitionResult)}
    return head | {"kind": "recognised", "pieces": pieces}


def decode_recognised(head: Head) -> RecognitionResult:
    """Return a frame's recognised text. Raises GarbledFrame where a field breaks the contract."""
    width, height = page_size_of(head.get("size"))
    _, pixels_a_point = page_size_of([1, head.get("pixels_a_point")])
    return RecognitionResult(
        pieces=tuple(_piece(value) for value in _list(head, "pieces")),
        size=(int(width), int(height)),
        pixels_a_point=pixels_a_point,
        failure=_text(head, "failure") or "",
        picture=_text(head, "picture") or "",
    )


def picture_of(mime_type: object, data: bytes) -> Picture:
    """Return the picture. Raises GarbledFrame where its first bytes contradict the media type."""
    start = PICTURE_STARTS.get(mime_type) if isinstance(mime_type, str) else None
    if start is None or not data.startswith(start):
        raise GarbledFrame(f"no picture of type {mime_type!r}")
    return Picture(data, cast(str, mime_type))


def page_count_of(head: Head) -> int:
    """Return the answer to a request for a page count. Raises GarbledFrame where it is none."""
    count = _number(head, "pages")
    if count is None:
        raise GarbledFrame("no number of pages")
    return count


def page_size_of(value: object) -> tuple[float, float]:
    """Return width and height in points. Raises GarbledFrame where they are none."""
    box = _box([0, 0, *value]) if isinstance(value, list) and len(value) == 2 else None
    if box is None or min(box[2:]) <= 0:
        raise GarbledFrame("a page has a width and a height")
    return box[2], box[3]


def _block_message(block: ReadBlock) -> tuple[Head, bytes]:
    head: Head = {field.name: getattr(block, field.name) for field in fields(ReadBlock)}
    picture = block.picture
    lines = [(line.start, line.end, *line.box) for line in block.lines]
    head |= {"kind": "block", "picture": picture.mime_type if picture else None, "lines": lines}
    return head, picture.data if picture else b""


def _document_message(document: ReadDocument) -> Head:
    head: Head = {field.name: getattr(document, field.name) for field in fields(ReadDocument)}
    outline = [(entry.title, entry.level, entry.page_number) for entry in document.outline]
    # As text: 64-bit numbers exceed what JSON numbers hold for certain.
    file = None if document.file is None else list(map(str, document.file))
    return head | {"kind": "document", "outline": outline, "blocks": [], "file": file}


def _block(head: Head, data: bytes) -> ReadBlock:
    block_type = head.get("block_type")
    if block_type not in ("text", "image"):
        raise GarbledFrame(f"no block has the type {block_type!r}")
    return ReadBlock(
        place=_place(head.get("place")),
        block_type=cast(BlockType, block_type),
        content=_text(head, "content") or "",
        picture=None if head.get("picture") is None else picture_of(head["picture"], data),
        bbox=_box(head.get("bbox")),
        lines=tuple(_line(line) for line in _list(head, "lines")),
        **{name: _text(head, name) for name in _TEXTS},  # type: ignore[arg-type]
        **{name: _number(head, name) for name in _NUMBERS},  # type: ignore[arg-type]
    )


def _document(head: Head) -> ReadDocument:
    return ReadDocument(
        title=_text(head, "title"),
        author=_text(head, "author"),
        document_date=_text(head, "document_date"),
        page_count=_number(head, "page_count"),
        language=_text(head, "language"),
        outline=tuple(_entry(entry) for entry in _list(head, "outline")),
        page_labels=tuple(_checked_text(label) for label in _list(head, "page_labels")),
        warnings=tuple(_checked_text(warning) for warning in _list(head, "warnings")),
        pending=tuple(_place(place) for place in _list(head, "pending")),
        content_hash=_text(head, "content_hash"),
        file=_file_state(head.get("file")),
        pictures=tuple(_picture_file(picture) for picture in _list(head, "pictures")),
    )


def _place(value: Any) -> str:
    if not isinstance(value, str) or not _PLACE.fullmatch(value):
        raise GarbledFrame(f"no block has the place {value!r}")
    return value


def _piece(value: Any) -> Piece:
    if not isinstance(value, list) or len(value) != 9:
        raise GarbledFrame("a piece is its text and four corners")
    sides = [_box(value[1:5]), _box(value[5:])]
    return Piece(_checked_text(value[0]), corners_of([number for side in sides for number in side or ()]))


def _entry(value: Any) -> OutlineEntry:
    if not isinstance(value, list) or len(value) != 3:
        raise GarbledFrame("an outline entry is a title, a level and a page")
    entry = {"level": value[1], "page": value[2]}
    return OutlineEntry(_checked_text(value[0]), _number(entry, "level") or 1, _number(entry, "page"))


def _line(value: Any) -> LineBox:
    if not isinstance(value, list) or len(value) != 6:
        raise GarbledFrame("a line is its start, its end and the four sides of its box")
    ends = {"start": value[0], "end": value[1]}
    start, end, box = _number(ends, "start"), _number(ends, "end"), _box(value[2:])
    if start is None or end is None or box is None:
        raise GarbledFrame("a line lacks its place")
    return LineBox(start, end, box)


def _file_state(value: Any) -> FileState | None:
    if value is None:
        return None
    numbers = value if isinstance(value, list) else []
    if len(numbers) != len(FileState._fields) or not all(
        isinstance(number, str) and _INTEGER.fullmatch(number) for number in numbers
    ):
        raise GarbledFrame("the state of a file is five numbers")
    return FileState(*map(int, numbers))


def _picture_file(value: Any) -> tuple[str, str]:
    path, digest = _pair(value)
    return _checked_text(path), _checked_text(digest)


def _pages_read(head: Head) -> tuple[int, int] | None:
    if head.get("read") is None:
        return None
    read, pages = (_number({"n": value}, "n") for value in _pair(head["read"]))
    if read is None or pages is None or read > pages:
        raise GarbledFrame("more pages are read than there are")
    return read, pages


def _pair(value: Any) -> tuple[Any, Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise GarbledFrame("two values belong together")
    return value[0], value[1]


def _text(head: Head, name: str) -> str | None:
    value = head.get(name)
    return None if value is None else _checked_text(value)


def _checked_text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise GarbledFrame("a text is missing or too long")
    return value


def _number(head: Head, name: str) -> int | None:
    value = head.get(name)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise GarbledFrame(f"{name} is no count")
    return value


def _list(head: Head, name: str) -> list[Any]:
    value = head.get(name)
    if not isinstance(value, list):
        raise GarbledFrame(f"{name} is no list")
    return value


def _box(value: Any) -> Box | None:
    if value is None:
        return None
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 4 or not all(type(n) in (int, float) and abs(n) < 1e6 for n in numbers):
        raise GarbledFrame("a box is four numbers")
    return cast(Box, tuple(float(number) for number in numbers))
