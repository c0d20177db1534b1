"""Pictures in separate files."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture, vast_picture


@pytest.mark.parametrize(("suffix", "kind"), [("png", "PNG"), ("jpg", "JPEG"), ("tiff", "TIFF"), ("JPEG", "JPEG")])
def test_a_picture_is_one_block_named_after_its_file(tmp_path: Path, read: Read, suffix: str, kind: str) -> None:
    file = tmp_path / f"red_pump.{suffix}"
    file.write_bytes(drawn_picture(kind=kind))
    document, (block,) = read(file)
    assert (block.block_type, block.image_caption, block.content) == ("image", "red pump", "")
    assert block.picture is not None
    assert block.picture.mime_type in ("image/png", "image/jpeg")
    (warning,) = document.warnings
    assert warning.startswith("The file is a picture without text; what it says cannot be found until")
    assert document.pending == ("p1",)


def test_each_page_of_a_tiff_is_a_block(tmp_path: Path, read: Read) -> None:
    pages = [Image.open(io.BytesIO(drawn_picture(colour))) for colour in ("red", "blue")]
    pages[0].save(tmp_path / "scan.tif", save_all=True, append_images=pages[1:])
    document, blocks = read(tmp_path / "scan.tif")
    assert [(block.place, block.page_number) for block in blocks] == [("p1-f1", 1), ("p2-f1", 2)]
    assert document.page_count == 2
    assert len({block.picture.data for block in blocks if block.picture}) == 2


def test_a_large_photo_is_reduced_and_upright(tmp_path: Path, read: Read) -> None:
    image = Image.effect_noise((4000, 2000), 90).convert("RGB")
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(tmp_path / "photo.jpg", exif=exif, quality=95)
    _, (block,) = read(tmp_path / "photo.jpg")
    assert block.picture is not None
    assert len(block.picture.data) <= 1_000_000
    width, height = Image.open(io.BytesIO(block.picture.data)).size
    assert width < height <= 1600


@pytest.mark.parametrize(
    ("draw", "reason"),
    [
        (lambda: b"no picture", "not a picture of a known kind"),
        (lambda: drawn_picture()[:100], "damaged"),
        (vast_picture, "too many pixels"),
    ],
)
def test_an_unreadable_picture_is_refused(tmp_path: Path, read: Read, draw: Callable[[], bytes], reason: str) -> None:
    (tmp_path / "a.png").write_bytes(draw())
    with pytest.raises(UnreadableDocument, match=reason):
        read(tmp_path / "a.png")
