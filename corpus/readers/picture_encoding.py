"""Convert document pictures to formats that a client can show, within limits on pixels and bytes."""

from __future__ import annotations

import io
import math
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from corpus.documents.block import MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, Picture

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_AS_THEY_ARE = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
_MAX_PNG_BYTES = 400_000
"""Maximum size in bytes of a picture stored as PNG. Drawings are sharper as PNG; photographs are larger than this."""
_ORIENTATION = 0x0112
"""EXIF tag of the image orientation."""
_QUALITIES = (85, 70, 50, 30)
"""JPEG quality levels. Artefacts become visible around text below 50; 30 is the last attempt before the pixels are
reduced."""
_COLOURS = 256
"""Number of colours in a PNG palette."""
_MIN_STEP, _MAX_STEP, _SPARE = 0.5, 0.9, 0.95
"""Minimum and maximum factor of a scaling step, and the fraction of the size limit that the step aims at. File size
grows slightly less than proportionally with the number of pixels, so a picture that is only slightly too large loses
hardly any pixels."""
BROKEN = (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError)


class NoPicture(Exception):
    """Error for bytes that are not a displayable picture; its message is the reason."""


def open_picture(data: bytes) -> Image.Image:
    """Open a picture without decoding it. Raises NoPicture if the bytes are not a picture or have too many pixels."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return Image.open(io.BytesIO(data), formats=_FORMATS)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise NoPicture("has too many pixels") from error
    except BROKEN as error:
        raise NoPicture("is not a picture of a known kind") from error


def displayable(data: bytes) -> Picture:
    """Return the bytes unchanged if a client can show them, otherwise convert them to PNG or JPEG. Raises NoPicture
    like `open_picture`, and for a damaged picture."""
    image = open_picture(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _as_it_is(image, data) or encode_picture(image)
    except BROKEN as error:
        raise NoPicture("is damaged") from error


def encode_picture(image: Image.Image) -> Picture:
    """Encode the current frame upright, with at most MAX_PICTURE_SIDE pixels per side: as PNG if the result is small,
    otherwise as JPEG."""
    image.draft("RGB", (MAX_PICTURE_SIDE, MAX_PICTURE_SIDE))
    image = _flat(ImageOps.exif_transpose(image))
    image.thumbnail((MAX_PICTURE_SIDE, MAX_PICTURE_SIDE))
    return encode_within(image, MAX_PICTURE_BYTES)


def encode_within(image: Image.Image, max_bytes: int) -> Picture:
    """Encode an RGB or grey image in at most `max_bytes`: as PNG if the result is small, otherwise as JPEG. Scale it
    down until it fits."""
    # This level takes two thirds of the default level's time; rendered pages do not get larger.
    png = _save(image, "PNG", compress_level=3)
    if len(png) <= min(_MAX_PNG_BYTES, max_bytes):
        return Picture(png, "image/png")
    while True:
        for quality in _QUALITIES:
            jpeg = _save(image, "JPEG", quality=quality)
            if len(jpeg) <= max_bytes or max(image.size) < 32:
                return Picture(jpeg, "image/jpeg")
        share = min(_MAX_STEP, max(_MIN_STEP, math.sqrt(_SPARE * max_bytes / len(jpeg))))
        image = image.resize((max(1, int(image.width * share)), max(1, int(image.height * share))))


def shrink_picture(data: bytes, max_side: int, max_bytes: int) -> Picture:
    """Return the picture with at most `max_side` pixels per side and `max_bytes` bytes. Raises NoPicture like
    `displayable`."""
    image = open_picture(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image.draft("RGB", (max_side, max_side))
            image = _flat(ImageOps.exif_transpose(image))
            image.thumbnail((max_side, max_side))
            return encode_smallest(image, max_bytes)
    except BROKEN as error:
        raise NoPicture("is damaged") from error


def encode_smallest(image: Image.Image, max_bytes: int) -> Picture:
    """Encode as PNG with 256 colours, which suits text and drawings, or as JPEG, whichever is smaller."""
    few = image.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    png = _save(few, "PNG", compress_level=6)
    jpeg = _save(image, "JPEG", quality=_QUALITIES[0])
    if len(png) <= min(len(jpeg), max_bytes):
        return Picture(png, "image/png")
    return Picture(jpeg, "image/jpeg") if len(jpeg) <= max_bytes else encode_within(image, max_bytes)


def _as_it_is(image: Image.Image, data: bytes) -> Picture | None:
    """Return the picture unchanged, or None if it is rotated, animated, too large, or in a format that clients cannot
    show."""
    mime_type = _AS_THEY_ARE.get(image.format or "")
    if not mime_type or len(data) > MAX_PICTURE_BYTES or max(image.size) > 2 * MAX_PICTURE_SIDE:
        return None
    image.load()
    if image.getexif().get(_ORIENTATION, 1) != 1 or getattr(image, "n_frames", 1) != 1:
        return None
    return Picture(data, mime_type)


def _flat(image: Image.Image) -> Image.Image:
    """Convert to a mode that JPEG supports, with a white background."""
    if image.mode in ("RGB", "L"):
        return image
    if image.mode.startswith("I") or image.mode == "F":
        return image.convert("L")
    layer = image.convert("RGBA")
    paper = Image.new("RGB", layer.size, "white")
    paper.paste(layer, mask=layer.getchannel("A"))
    return paper


def _save(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()
