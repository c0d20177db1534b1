"""A picture that is too large in bytes is made smaller by no more than it has to be."""

from __future__ import annotations

import io
import random

import pytest
from PIL import Image

from corpus.readers.pictures import within


def noise(side: int) -> Image.Image:
    """What no format makes much smaller."""
    return Image.frombytes("RGB", (side, side), random.Random(7).randbytes(3 * side * side))


@pytest.mark.parametrize("most", [10_000, 25_000, 33_000, 36_000])
def test_what_is_too_large_keeps_most_of_what_it_may_have(most: int) -> None:
    made = within(noise(300), most)
    assert 0.7 * most < len(made.data) <= most
    assert Image.open(io.BytesIO(made.data)).format == "JPEG"


def test_no_bound_is_too_small_to_end() -> None:
    assert max(Image.open(io.BytesIO(within(noise(60), 10).data)).size) < 32
