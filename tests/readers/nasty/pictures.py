"""Pictures that are larger than any screen, truncated, or of another type than their names suggest."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image

from tests.readers.nasty.expected import Nasty


def _part(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header_of_png(width: int, height: int, *parts: bytes) -> bytes:
    """Return a PNG that declares this size and contains hardly any pixels."""
    head = _part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + b"".join(parts)
        + _part(b"IDAT", zlib.compress(b"\0" * 1000))
        + _part(b"IEND", b"")
    )


def picture(kind: str) -> bytes:
    """Return a valid picture."""
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((100, 100)).save(buffer, kind)
    return buffer.getvalue()


def _pages(count: int) -> bytes:
    """Return a TIFF with pages of eight by eight pixels that all share the same bytes."""
    tags = ((256, 8), (257, 8), (258, 1), (259, 1), (262, 1), (273, 8), (277, 1), (278, 8), (279, 8))
    entries = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHIHH", tag, 3, 1, said, 0) for tag, said in tags)
    size = len(entries) + 4
    places = [16 + size * number for number in range(1, count)] + [0]
    return struct.pack("<2sHI8x", b"II", 42, 16) + b"".join(entries + struct.pack("<I", place) for place in places)


def _loop() -> bytes:
    """Return a TIFF whose directory is its own successor."""
    data = bytearray(picture("TIFF"))
    start = struct.unpack_from("<I", data, 4)[0]
    count = struct.unpack_from("<H", data, start)[0]
    struct.pack_into("<I", data, start + 2 + 12 * count, start)
    return bytes(data)


def _growing_text() -> bytes:
    note = _part(b"zTXt", b"Comment\0\0" + zlib.compress(b"\0" * 300_000_000, 9))
    return header_of_png(100, 100, note)


def _many_notes() -> bytes:
    return header_of_png(300, 300, *(_part(b"tEXt", b"k%d\0v" % number) for number in range(50_000)))


PICTURES = [
    Nasty(
        name="pixels-60000.png",
        make=lambda: header_of_png(60_000, 60_000),
        reason="picture has too many pixels",
    ),
    Nasty(name="no-pixels.png", make=lambda: header_of_png(0, 0), reason="the picture is"),
    Nasty(name="cut-short.jpg", make=lambda: picture("JPEG")[:600], reason="the picture is damaged"),
    Nasty(name="head-alone.jpg", make=lambda: b"\xff\xd8\xff\xe0", reason="not a picture of a known kind"),
    Nasty(name="png-named.jpg", make=lambda: picture("PNG"), warns="picture without text"),
    Nasty(name="text-named.png", make=lambda: b"not a picture", reason="not a picture of a known kind"),
    Nasty(name="pages-2000.tif", make=lambda: _pages(2_000), warns="first 500 of 2000 pages"),
    Nasty(name="loop.tif", make=_loop, warns="picture without text"),
    Nasty(name="growing-text.png", make=_growing_text, reason="the picture"),
    Nasty(name="notes-50000.png", make=_many_notes, reason="the picture"),
]
