"""A picture with too many bytes is reduced by no more than necessary."""

from __future__ import annotations

import io
import random

import pytest
from PIL import Image, ImageDraw

from corpus.readers.picture_encoding import NoPicture, encode_smallest, encode_within, shrink_picture


def noise(side: int) -> Image.Image:
    """Return a picture of noise, which no format compresses well."""
    return Image.frombytes("RGB", (side, side), random.Random(7).randbytes(3 * side * side))


@pytest.mark.parametrize("most", [10_000, 25_000, 33_000, 36_000])
def test_a_picture_over_the_limit_keeps_most_of_the_allowed_size(most: int) -> None:
    made = encode_within(noise(300), most)
    assert 0.7 * most < len(made.data) <= most
    assert Image.open(io.BytesIO(made.data)).format == "JPEG"


def test_reduction_ends_for_any_limit() -> None:
    assert max(Image.open(io.BytesIO(encode_within(noise(60), 10).data)).size) < 32


def drawing() -> Image.Image:
    """Draw lines and letters that need only few colours."""
    image = Image.new("RGB", (1200, 900), "white")
    draw = ImageDraw.Draw(image)
    for n in range(60):
        draw.line((10, 15 * n, 1190, 15 * n + 7), fill=(n, 2 * n, 180))
    return image


def test_a_drawing_has_few_colours_and_a_photograph_is_a_jpeg() -> None:
    drawn, seen = encode_smallest(drawing(), 1_000_000), encode_smallest(noise(300), 1_000_000)

    assert (drawn.mime_type, seen.mime_type) == ("image/png", "image/jpeg")
    assert len(drawn.data) < len(encode_within(drawing(), 1_000_000).data)


@pytest.mark.parametrize("picture", [drawing(), noise(1_500)], ids=["drawing", "photograph"])
def test_a_reduced_picture_stays_within_its_limits(picture: Image.Image) -> None:
    whole = io.BytesIO()
    picture.save(whole, "PNG")

    made = shrink_picture(whole.getvalue(), 1_024, 90_000)

    assert len(made.data) <= 90_000
    assert max(Image.open(io.BytesIO(made.data)).size) <= 1_024


def test_an_invalid_picture_is_refused() -> None:
    with pytest.raises(NoPicture):
        shrink_picture(b"no picture", 1_024, 90_000)
