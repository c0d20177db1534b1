"""Text under or over other text, of which one may be visible and the other not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from corpus.readers.pdf.hidden.characters import Boxes, Characters
from corpus.readers.pdf.hidden.difference import Difference, Marks
from corpus.readers.pdf.pdfium import pdfium

_MARGIN_SHARE = 0.25  # Share of a character's box cut off at each side, so that neighbours do not touch.
_CELL = 5.0
"""Points. Characters in one place have their middles in one cell of this size, in one of four shifted grids."""

_GRIDS = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))  # Shifts of the grids, in cells.
_ROWS = 1 << 24  # Cells of a column of the grid, more than any page has.
_MAX_NEIGHBOURS = 3  # Characters of one cell compared with each other; more would lie in as many layers.
_MAX_LAYERS = 8  # Layers that are rendered; each costs two renderings, and text in more layers is an attack.


def overlapping_characters(characters: Characters, runs: list[tuple[int, int]]) -> Marks:
    """Which characters belong to objects that share a place on the page, shape n. `runs` are characters of one
    glyph, which count once."""
    counts = characters.are_letters.copy()
    for start, end in runs:
        counts[start + 1 : end] = False
    places = np.flatnonzero(counts)
    boxes = characters.boxes[places]
    cores = _cores(boxes)
    shared_objects = set[int]()
    for shift in _GRIDS:
        across, down = np.floor((boxes[:, :2] + boxes[:, 2:]) / 2 / _CELL + shift).astype(np.int64).T
        cells = across * _ROWS + down
        order = np.argsort(cells, kind="stable")
        for step in range(1, _MAX_NEIGHBOURS + 1):
            first, second = order[:-step], order[step:]
            same = cells[first] == cells[second]
            first, second = first[same], second[same]
            meet = _overlap(cores[first], cores[second])
            for place in places[np.concatenate([first[meet], second[meet]])].tolist():
                shared_objects.add(characters.objects[place])
    return np.fromiter((address in shared_objects for address in characters.objects), np.bool_)


def hidden_overlaps(page: pdfium.PdfPage, characters: Characters, in_piles: Marks) -> Marks:
    """Which of the characters make no difference when their object alone is removed, shape n. Characters beyond
    _MAX_LAYERS count as unseen."""
    unseen = in_piles.copy()
    if not in_piles.any():
        return unseen
    for places in list(_layers(characters, in_piles))[:_MAX_LAYERS]:
        handles = {characters.objects[place]: characters.handles[characters.objects[place]] for place in places}
        look = Difference(page, handles.values(), characters.boxes[places])
        for place in places:
            unseen[place] = not look.shows(characters.box(place, place + 1))
    return unseen


def _layers(characters: Characters, in_piles: Marks) -> Iterator[list[int]]:
    """Yield positions so that no two objects of a layer share a place."""
    of_object = defaultdict[int, list[int]](list)
    for place in np.flatnonzero(in_piles).tolist():
        of_object[characters.objects[place]].append(place)
    remaining = list(of_object.values())
    while remaining:
        layer, left = list[int](), list[list[int]]()
        for places in remaining:
            if layer and _meet(characters.boxes[places], characters.boxes[layer]):
                left.append(places)
            else:
                layer += places
        yield layer
        remaining = left


def _meet(first: Boxes, second: Boxes) -> bool:
    return bool(_overlap(_cores(first)[:, None], _cores(second)[None]).any())


def _overlap(first: Boxes, second: Boxes) -> Marks:
    return np.asarray(((first[..., :2] < second[..., 2:]) & (second[..., :2] < first[..., 2:])).all(axis=-1))


def _cores(boxes: Boxes) -> Boxes:
    margin = (boxes[:, 2:] - boxes[:, :2]) * _MARGIN_SHARE
    return np.concatenate([boxes[:, :2] + margin, boxes[:, 2:] - margin], axis=1)
