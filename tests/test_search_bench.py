"""Hits as counted by the search bench."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from bench.blocks import BLOCKS_A_DOCUMENT, Source
from bench.search.truth import Truth

COSINES = np.linspace(0.9, 0.1, BLOCKS_A_DOCUMENT, dtype=np.float32)
COSINES[3] = COSINES[2] - 1e-5
READABLE = np.array([True])


class OneDocument:
    """An index whose vectors have two dimensions and the cosines `COSINES` to the question."""

    blocks = BLOCKS_A_DOCUMENT

    def vectors_of(self, n: int) -> Any:
        return np.stack([COSINES, np.sqrt(1 - COSINES**2)], axis=1)


def found(*places: int) -> list[Any]:
    return [SimpleNamespace(hits=[SimpleNamespace(block=SimpleNamespace(block_id=f"d0-{at}")) for at in places])]


@pytest.mark.parametrize(
    ("places", "recall"),
    [((0, 1, 2), 1.0), ((2, 0, 1), 1.0), ((0, 1, 4), 2 / 3), ((0, 1), 2 / 3), ((0, 1, 3), 1.0)],
    ids=["the nearest", "in another order", "one further away", "one too few", "one that halves cannot tell"],
)
def test_recall_is_the_fraction_of_the_nearest_that_were_found(places: tuple[int, ...], recall: float) -> None:
    question = np.array([[1.0, 0.0]], dtype=np.float32)
    assert Truth(cast(Source, OneDocument())).recall(found(*places), question, READABLE, 3) == pytest.approx(recall)


def test_there_is_no_recall_if_nothing_is_readable() -> None:
    question = np.array([[1.0, 0.0]], dtype=np.float32)
    assert Truth(cast(Source, OneDocument())).recall(found(), question, ~READABLE, 3) is None
