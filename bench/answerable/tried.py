"""Other signs of an answer that a search gives, each alone and beside the strength."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.answerable import curve
from bench.answerable.asked import Asked
from bench.tables import table
from corpus.search import Hit
from corpus.synthesis.strength import evidence

Row = tuple[float, ...]
NAMES = ("best cosine", "its distance to the mean of the others", "best BM25 score", "strength")


def signals(questions: Sequence[Asked], hits: Sequence[tuple[Hit, ...]]) -> str:
    """Each sign alone, and its mean with the strength where it is stretched over 0..1."""
    ours = [(one, found) for one, found in zip(questions, hits, strict=True) if one.half == "development"]
    rows = np.array([_signals(one, found) for one, found in ours])
    kinds = [one.answerable for one, _ in ours]
    lines = []
    for n, name in enumerate(NAMES):
        together = (_stretched(rows[:, n]) + rows[:, -1]) / 2
        areas = [curve.area(*curve.split(list(one), kinds)) for one in (rows[:, n], together)]
        points = []
        for one in (rows[:, n], together):
            good, bad = curve.split(list(one), kinds)
            points.append(curve.at(curve.chosen(good), good, bad).caught)
        lines.append([name, *(f"{one:.3f}" for one in areas), *(f"{one:.2f}" for one in points)])
    head = ["sign", "alone", "with the strength", "caught at 0.05 alone", "caught with the strength"]
    return table(head, lines)


def _signals(one: Asked, found: tuple[Hit, ...]) -> Row:
    cosines = sorted((hit.vector for hit in found if hit.vector is not None), reverse=True)
    words = [hit.lexical or 0.0 for hit in found]
    return (
        cosines[0],
        cosines[0] - float(np.mean(cosines[1:])),
        max(words),
        evidence(one.text, found) or 0.0,
    )


def _stretched(values: curve.Strengths) -> curve.Strengths:
    return np.asarray((values - values.min()) / (values.max() - values.min()), dtype=np.float64)
