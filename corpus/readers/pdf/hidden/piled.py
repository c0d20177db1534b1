"""Text under or over other text: one of the two may be seen and the other not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from corpus.readers.pdf.hidden.characters import Boxes, Characters
from corpus.readers.pdf.hidden.difference import Difference, Marks
from corpus.readers.pdf.pdfium import pdfium

_CORE = 0.25
"""Of a letter's box, left off on each side, so that neighbours do not touch."""

_CELL = 5.0
"""Points; two letters in one place have their middles in one cell of this size, of those of four grids."""

_GRIDS = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))
_ROWS = 1 << 24
_NEAR = 3
_MOST_LOOKS = 8


def piled(characters: Characters, runs: list[tuple[int, int]]) -> Marks:
    """Which letters are of objects that share a place on the page. What stands for one glyph, as `runs` say, is one."""
    counts = characters.are_letters.copy()
    for start, end in runs:
        counts[start + 1 : end] = False
    places = np.flatnonzero(counts)
    boxes = characters.boxes[places]
    cores = _cores(boxes)
    shared = set[int]()
    for shift in _GRIDS:
        across, down = np.floor((boxes[:, :2] + boxes[:, 2:]) / 2 / _CELL + shift).astype(np.int64).T
        cells = across * _ROWS + down
        order = np.argsort(cells, kind="stable")
        for step in range(1, _NEAR + 1):
            one, other = order[:-step], order[step:]
            same = cells[one] == cells[other]
            one, other = one[same], other[same]
            meet = _overlap(cores[one], cores[other])
            for place in places[np.concatenate([one[meet], other[meet]])].tolist():
                shared.add(characters.objects[place])
    return np.fromiter((address in shared for address in characters.objects), np.bool_)


def unseen_in_piles(page: pdfium.PdfPage, characters: Characters, shared: Marks) -> Marks:
    """Which of the `shared` make no difference when their object alone is taken away.

    What lies in more than a few layers is not looked at, and not believed.
    """
    unseen = shared.copy()
    if not shared.any():
        return unseen
    for places in list(_layers(characters, shared))[:_MOST_LOOKS]:
        handles = {
            characters.objects[place]: characters.handles[characters.objects[place]] for place in places
        }
        look = Difference(page, handles.values(), characters.boxes[places])
        for place in places:
            unseen[place] = not look.shows(characters.box(place, place + 1))
    return unseen


def _layers(characters: Characters, shared: Marks) -> Iterator[list[int]]:
    """The places parted so that no two objects of a part share a place on the page."""
    of_object = defaultdict[int, list[int]](list)
    for place in np.flatnonzero(shared).tolist():
        of_object[characters.objects[place]].append(place)
    waiting = list(of_object.values())
    while waiting:
        taken, left = list[int](), list[list[int]]()
        for places in waiting:
            if taken and _meet(characters.boxes[places], characters.boxes[taken]):
                left.append(places)
            else:
                taken += places
        yield taken
        waiting = left


def _meet(one: Boxes, other: Boxes) -> bool:
    return bool(_overlap(_cores(one)[:, None], _cores(other)[None]).any())


def _overlap(one: Boxes, other: Boxes) -> Marks:
    return np.asarray(((one[..., :2] < other[..., 2:]) & (other[..., :2] < one[..., 2:])).all(axis=-1))


def _cores(boxes: Boxes) -> Boxes:
    margin = (boxes[:, 2:] - boxes[:, :2]) * _CORE
    return np.concatenate([boxes[:, :2] + margin, boxes[:, 2:] - margin], axis=1)
