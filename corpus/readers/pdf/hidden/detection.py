"""Hidden text, by the picture of the page and not by the means that hide it.

The text layer of a scan is invisible too, but lies over the picture of its words, and stays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from corpus.documents.block import Box
from corpus.readers.pdf.graphics.ink import true_runs
from corpus.readers.pdf.hidden.characters import Characters
from corpus.readers.pdf.hidden.difference import Difference, Marks, faint_boxes
from corpus.readers.pdf.hidden.ligatures import crowded_ligatures, join_ligatures
from corpus.readers.pdf.hidden.overlapping import hidden_overlaps, overlapping_characters
from corpus.readers.pdf.page_geometry import PageGeometry, area, common_area
from corpus.readers.pdf.page_objects import PageObjects, page_objects
from corpus.readers.pdf.pdfium import pdfium, raw

_MIN_SIZE = 2.0  # Points of the font as drawn; print is legible from about 4.


def illegible_characters(characters: Characters) -> Marks:
    """Which characters are illegible, shape n. Their boxes must be small too, because a font's shapes may be large
    at a small size."""
    boxes = characters.boxes
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    small = np.minimum(width, height) < _MIN_SIZE
    result = np.zeros(len(boxes), dtype=np.bool_)
    for start, end in characters.runs():
        if small[start:end].all() and min(characters.size(start)) < _MIN_SIZE:
            result[start:end] = True
    return result


_UNPAINTED = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_FILL_MODES = (raw.FPDF_TEXTRENDERMODE_FILL, raw.FPDF_TEXTRENDERMODE_FILL_CLIP)
_MIN_ALPHA = 0x10  # Of 255; fainter text is as good as transparent.
_FIRST_BEYOND_LATIN = 0x250  # Code points below are Latin, for which PDFium has substitute fonts.


def draws_nothing(characters: Characters) -> Marks:
    """Which characters belong to objects that paint nothing, shape n. Other text may be visible in their place."""
    addresses = {address for address, handle in characters.handles.items() if _is_unpainted(handle)}
    return np.fromiter((address in addresses for address in characters.objects), np.bool_)


def is_drawable(characters: Characters, place: int) -> bool:
    """Whether PDFium can draw the character. For fonts that are not embedded it has Latin glyphs only."""
    handle = characters.handles[characters.objects[place]]
    if characters.codes[place] < _FIRST_BEYOND_LATIN or _is_unpainted(handle):
        return True
    return bool(raw.FPDFFont_GetIsEmbedded(raw.FPDFTextObj_GetFont(handle)) == 1)


def _is_unpainted(handle: Any) -> bool:
    mode = raw.FPDFTextObj_GetTextRenderMode(handle)
    if mode in _UNPAINTED:
        return True
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if mode not in _FILL_MODES or not raw.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha):
        return False
    return alpha.value < _MIN_ALPHA


_MIN_COVERED = 0.8
"""Share of a text's box under a picture; one that merely touches it does not show its words."""


def hidden_characters(page: pdfium.PdfPage, characters: Characters, geometry: PageGeometry) -> list[int]:
    """PDFium's indexes of the hidden characters."""
    if not characters.indexes:
        return []
    runs = join_ligatures(characters)
    hidden = (
        illegible_characters(characters)
        | crowded_ligatures(characters, runs)
        | _unseen(page, characters, runs, geometry)
    )
    return [index for index, is_hidden in zip(characters.indexes, hidden.tolist(), strict=True) if is_hidden]


def _unseen(page: pdfium.PdfPage, characters: Characters, runs: list[tuple[int, int]], geometry: PageGeometry) -> Marks:
    suspects = _by_object(characters, faint_boxes(page, characters.handles.values(), characters.boxes))
    paints_nothing = draws_nothing(characters)
    in_piles = overlapping_characters(characters, runs) & ~paints_nothing
    if not (characters.are_letters & (suspects | paints_nothing | in_piles)).any():
        return np.zeros(len(suspects), dtype=np.bool_)
    objects = page_objects(page, geometry)
    unseen = hidden_overlaps(page, characters, in_piles & ~suspects) | paints_nothing
    places = np.flatnonzero(suspects | unseen)
    if not len(places):
        return unseen
    # PDFium lists text that is drawn twice once; both objects must go to see the difference.
    look = Difference(page, [*objects.texts, *characters.handles.values()], characters.boxes[places])
    for place in np.flatnonzero(suspects & ~unseen).tolist():
        unseen[place] = not look.shows(characters.box(place, place + 1))
    _excuse(characters, unseen, look, objects)
    return unseen


def _by_object(characters: Characters, suspects: Marks) -> Marks:
    """All characters of the objects with a suspected letter."""
    objects = {characters.objects[place] for place in np.flatnonzero(suspects & characters.are_letters).tolist()}
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
