"""Hidden text, by the picture of the page and not by the means that hide it.

The text layer of a scan is invisible too, but lies over the picture of its words, and stays.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corpus.blocks import Box
from corpus.readers.pdf.hidden.characters import Characters
from corpus.readers.pdf.hidden.difference import Difference, Marks, faint
from corpus.readers.pdf.hidden.illegible import illegible
from corpus.readers.pdf.hidden.page_objects import PageObjects, page_objects
from corpus.readers.pdf.hidden.painting import draws_nothing, is_drawable
from corpus.readers.pdf.hidden.piled import piled, unseen_in_piles
from corpus.readers.pdf.hidden.stand_ins import crowded, joined
from corpus.readers.pdf.ink import true_runs
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pdf.shown import Shown, area, common_area

_MIN_COVERED = 0.8
"""Share of a text's box under a picture; one that merely touches it does not show its words."""


def hidden_characters(page: pdfium.PdfPage, characters: Characters, geometry: Shown) -> list[int]:
    """PDFium's indexes of the hidden characters."""
    if not characters.indexes:
        return []
    runs = joined(characters)
    hidden = illegible(characters) | crowded(characters, runs) | _unseen(page, characters, runs, geometry)
    return [index for index, is_hidden in zip(characters.indexes, hidden.tolist(), strict=True) if is_hidden]


def _unseen(
    page: pdfium.PdfPage, characters: Characters, runs: list[tuple[int, int]], geometry: Shown
) -> Marks:
    suspects = _by_object(characters, faint(page, characters.handles.values(), characters.boxes))
    paints_nothing = draws_nothing(characters)
    in_piles = piled(characters, runs) & ~paints_nothing
    if not (characters.are_letters & (suspects | paints_nothing | in_piles)).any():
        return np.zeros(len(suspects), dtype=np.bool_)
    objects = page_objects(page, geometry)
    unseen = unseen_in_piles(page, characters, in_piles & ~suspects) | paints_nothing
    places = np.flatnonzero(suspects | unseen)
    if not len(places):
        return unseen
    # A text that is drawn twice is one for PDFium; both must go for the difference to be seen.
    look = Difference(page, [*objects.texts, *characters.handles.values()], characters.boxes[places])
    for place in np.flatnonzero(suspects & ~unseen).tolist():
        unseen[place] = not look.shows(characters.box(place, place + 1))
    _excuse(characters, unseen, look, objects)
    return unseen


def _by_object(characters: Characters, suspects: Marks) -> Marks:
    """All characters of the objects with a suspected letter."""
    objects = {
        characters.objects[place] for place in np.flatnonzero(suspects & characters.are_letters).tolist()
    }
    return np.fromiter((address in objects for address in characters.objects), np.bool_)


def _excuse(characters: Characters, unseen: Marks, look: Difference, objects: PageObjects) -> None:
    """Clear `unseen` for text that a picture shows in its place, and for text without letters."""
    places = np.flatnonzero(unseen).tolist()
    texts = {characters.objects[place]: characters.handles[characters.objects[place]] for place in places}
    for start, end in _parts(characters, unseen):
        box = characters.box(start, end)
        of_scan = any(_covers(picture, box) for picture in objects.pictures) and look.has_ink(box)
        has_letters = any(
            characters.are_letters[place] and is_drawable(characters, place) for place in range(start, end)
        )
        if of_scan or not has_letters or look.is_redrawn(box, list(texts.values()), objects.others):
            unseen[start:end] = False


def _parts(characters: Characters, unseen: Marks) -> Iterator[tuple[int, int]]:
    """Yield consecutive unseen characters, object by object."""
    for start, end in characters.runs():
        for first, last in true_runs(unseen[start:end]):
            yield start + first, start + last


def _covers(picture: Box, box: Box) -> bool:
    common = common_area(picture, box)
    return common > 0 and common >= _MIN_COVERED * area(box)
