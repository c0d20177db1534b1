"""Generated pictures for tests."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw


def drawn_picture(colour: str = "navy", size: tuple[int, int] = (300, 200), kind: str = "PNG") -> bytes:
    """Draw a plain picture with one line. Another colour or size makes a different picture."""
    image = Image.new("RGB", size, colour)
    ImageDraw.Draw(image).line((0, 0, *size), fill="white", width=3)
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def vast_picture() -> bytes:
    """Draw a complete picture with more pixels than the limit. In black and white, this is fast."""
    buffer = io.BytesIO()
    Image.new("1", (12_000, 9_000)).save(buffer, "PNG")
    return buffer.getvalue()
