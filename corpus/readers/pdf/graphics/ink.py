"""Graphics of a page found by their ink, whatever drew them: all pixels that belong to no text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from corpus.documents.block import Box
from corpus.readers.pdf.union_find import root_of

Grey = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.bool_]

CELL = 4  # Pixels per side of the grid on which ink is grouped; at 72 dpi a pixel is a point.
_CONTRAST = 20  # Grey levels of 255: antialiasing and JPEG noise stay below, pale grey grid lines above.
_RULE = 4
"""Pixels; thinner and long ink is a rule. Rules are drawn up to two points wide, plus one pixel at each side."""


def clusters_of(grey: Grey, texts: list[Box]) -> list[Box]:
    """Boxes of connected ink in pixels, without text and single rules. `grey` has shape height x width; `texts` are
    boxes in pixels."""
    ink = np.abs(grey.astype(np.int16) - _background(grey)) > _CONTRAST
    for left, top, right, bottom in texts:
        ink[max(0, int(top) - 1) : int(bottom) + 2, max(0, int(left) - 1) : int(right) + 2] = False
    boxes = [(x0 * CELL, y0 * CELL, x1 * CELL, y1 * CELL) for x0, y0, x1, y1 in connected(_cells(ink))]
    return [(float(a), float(b), float(c), float(d)) for a, b, c, d in boxes if not _is_rule(ink[b:d, a:c])]


def connected(cells: Cells) -> list[tuple[int, int, int, int]]:
    """Boxes (ends exclusive) around cells that touch or have at most two empty cells between them, by
    connected-component labelling in one pass over runs (Rosenfeld and Pfaltz, 1966)."""
    cells_grown = _grow(cells)
    parents: list[int] = []
    boxes: list[list[int]] = []
    above: list[tuple[int, int, int]] = []
    for row in range(len(cells_grown)):
        runs = []
        for start, end in true_runs(cells_grown[row]):
            label = _label([each for each in above if each[0] <= end and start <= each[1]], parents, boxes)
            _widen(boxes[label], start, row, end, row + 1)
            runs.append((start, end, label))
        above = runs
    roots = {root_of(parents, label) for label in range(len(parents))}
    return [_shrink(boxes[root], cells.shape) for root in sorted(roots)]


def _background(grey: Grey) -> int:
    return int(np.bincount(grey.ravel(), minlength=256).argmax())


def _cells(ink: Cells) -> Cells:
    height, width = ink.shape
    padded = np.pad(ink, ((0, -height % CELL), (0, -width % CELL)))
    rows, columns = padded.shape[0] // CELL, padded.shape[1] // CELL
    return np.asarray(padded.reshape(rows, CELL, columns, CELL).any(axis=(1, 3)))


def _grow(cells: Cells) -> Cells:
    """One cell more on every side, in a frame that is one cell larger."""
    wide = np.pad(cells, 1)
    across = wide.copy()
    across[:, 1:] |= wide[:, :-1]
    across[:, :-1] |= wide[:, 1:]
    result = across.copy()
    result[1:] |= across[:-1]
    result[:-1] |= across[1:]
    return result


def true_runs(flags: Cells) -> list[tuple[int, int]]:
    """Start and end (exclusive) of the runs of true values in an array of shape n."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.view(np.int8), [0]))))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _label(runs_above: list[tuple[int, int, int]], parents: list[int], boxes: list[list[int]]) -> int:
    """The common label of all runs that touch from above; a new one if there is none."""
    labels = sorted({root_of(parents, each[2]) for each in runs_above})
    if not labels:
        parents.append(len(parents))
        boxes.append([1 << 30, 1 << 30, 0, 0])
        return len(parents) - 1
    for other in labels[1:]:
        parents[other] = labels[0]
        _widen(boxes[labels[0]], *boxes[other])
    return labels[0]


def _widen(box: list[int], left: int, top: int, right: int, bottom: int) -> None:
    box[:] = [min(box[0], left), min(box[1], top), max(box[2], right), max(box[3], bottom)]


def _shrink(box: list[int], shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Without the growth, which was one cell a side and moved all by one."""
    return box[0], box[1], min(box[2] - 2, shape[1]), min(box[3] - 2, shape[0])


def _is_rule(ink: Cells) -> bool:
    thin, long = sorted((int(ink.any(axis=1).sum()), int(ink.any(axis=0).sum())))
    return thin <= _RULE and long > 5 * thin
