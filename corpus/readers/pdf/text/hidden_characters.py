"""Find hidden characters: glyphs that represent entire sentences, and overlapping, illegible, transparent and replaced
text."""

from __future__ import annotations

import ctypes
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry, area, common_area, pdfium, raw
from corpus.readers.pdf.page_objects import PageObjects, page_objects
from corpus.readers.pdf.page_pictures import true_runs
from corpus.readers.pdf.text.glyphs import origin_of
from corpus.readers.pdf.text.visibility import Boxes, Characters, Difference, Marks, address_of, faint_boxes

_MAX_LIGATURE = 6  # Maximum number of characters that a glyph of any width may represent.
_MIN_ROOM = 0.2  # Minimum width per character, in font sizes; with less, the glyph hides characters.
_SAME_SIZE = 0.01  # Maximum size difference, in points, between the boxes of characters that share a glyph.


def join_ligatures(characters: Characters) -> list[tuple[int, int]]:
    """Return the start and end of each group of characters that belong to one glyph; PDFium gives them the same origin.
    Replace their boxes, which are estimates, with the box of the glyph."""
    runs = list(_runs_of_one_origin(characters))
    for start, end in runs:
        boxes = characters.boxes[start:end]
        boxes[:] = [*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)]
    return runs


def crowded_ligatures(characters: Characters, runs: list[tuple[int, int]]) -> Marks:
    """Return which characters of ligatures have too little room to be legible, as an array of shape (n,)."""
    result = np.zeros(len(characters.indexes), dtype=np.bool_)
    for start, end in runs:
        left, top, right, bottom = characters.boxes[start].tolist()
        room = max(right - left, bottom - top) / (end - start)
        if end - start > _MAX_LIGATURE and room < _MIN_ROOM * max(characters.size(start)):
            result[start:end] = True
    return result


def _runs_of_one_origin(characters: Characters) -> Iterator[tuple[int, int]]:
    boxes = characters.boxes
    sizes = boxes[:, 2:] - boxes[:, :2]
    # Characters of one glyph have boxes of the same size. Sizes are cheaper to compare than origins, so compare them
    # first.
    alike = np.abs(np.diff(sizes, axis=0)).max(axis=1, initial=0.0) < _SAME_SIZE
    start = 0
    for place in range(1, len(boxes) + 1):
        if place < len(boxes) and alike[place - 1] and _share_origin(characters, place - 1, place):
            continue
        if place - start > 1:
            yield start, place
        start = place


def _share_origin(characters: Characters, place: int, other_place: int) -> bool:
    if characters.objects[place] != characters.objects[other_place]:
        return False
    return origin_of(characters.text, characters.indexes[place]) == origin_of(
        characters.text, characters.indexes[other_place]
    )


_MARGIN_SHARE = 0.25  # Fraction of a character's box removed on each side, so that neighbours do not touch.
_CELL = 5.0
"""Side length of a grid cell in points. In at least one of the four shifted grids, the middles of characters at the
same position are in the same cell."""

_GRIDS = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))
"""Offsets of the grids, in cells. Two positions less than half a cell apart share a cell in at least one of the
grids."""

_ROWS = 1 << 24  # Number of cells in a column of the grid; no page needs more.
# Maximum number of neighbours in a cell that each character is
# compared with; a larger pile would need one layer per character.
_MAX_NEIGHBOURS = 3
_MAX_LAYERS = 8  # Maximum number of rendered layers; each costs two renderings, and text in more layers is an attack.


def overlapping_characters(characters: Characters, runs: list[tuple[int, int]]) -> Marks:
    """Return which characters belong to objects that overlap on the page, as an array of shape (n,). `runs` are groups
    of characters of one glyph; each group counts once."""
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
    """Return which of the characters `in_piles` leave the page visibly unchanged when only their object is removed, as
    an array of shape (n,). Characters beyond _MAX_LAYERS count as invisible."""
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
    """Yield layers of positions such that no two objects in a layer overlap."""
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


_KEY = b"ActualText"
_MAX_TRUSTED = 6  # Maximum length of a replacement that is always accepted: ligatures, hyphens and single symbols.
_MAX_COMPARED = 1000  # Maximum number of characters compared, because the running time is quadratic.
_MIN_LIKENESS = 0.5
"""Minimum difflib ratio (Ratcliff and Obershelp, 1988): corrected OCR text is above it, another sentence below."""


def text_as_drawn(page: pdfium.PdfPage, geometry: PageGeometry) -> tuple[pdfium.PdfTextPage, int]:
    """Return the text page, and the number of characters in replacement texts that differ from what the page draws. If
    there are any, the page's long replacement texts are ignored, and the text page contains the drawn words."""
    text = page.get_textpage()
    objects_by_text = _objects_by_replacement(page, geometry)
    if not objects_by_text:
        return text, 0
    for objects in objects_by_text.values():
        for handle, mark in objects:
            raw.FPDFPageObj_RemoveMark(handle, mark)
    text_drawn = page.get_textpage()
    drawn_by_object = _text_by_object(text_drawn.raw)
    false = sum(
        len(_alphanumerics(replacement))
        for replacement, objects in objects_by_text.items()
        if not _is_believed(replacement, "".join(drawn_by_object[address_of(handle)] for handle, _ in objects))
    )
    (text if false else text_drawn).close()
    return (text_drawn if false else text), false


def _objects_by_replacement(page: pdfium.PdfPage, geometry: PageGeometry) -> dict[str, list[tuple[Any, Any]]]:
    """Return the text objects and their marks, keyed by the words that replace them."""
    result = defaultdict[str, list[tuple[Any, Any]]](list)
    for handle in page_objects(page, geometry).texts:
        for number in range(max(0, raw.FPDFPageObj_CountMarks(handle))):
            mark = raw.FPDFPageObj_GetMark(handle, number)
            replacement = _replacement_of(mark)
            if len(_alphanumerics(replacement)) > _MAX_TRUSTED:
                result[replacement].append((handle, mark))
    return result


def _replacement_of(mark: Any) -> str:
    if raw.FPDFPageObjMark_CountParams(mark) <= 0:
        return ""
    length = ctypes.c_ulong()
    if not raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, None, 0, length) or length.value < 4:
        return ""
    buffer = ctypes.create_string_buffer(length.value)
    wide = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
    raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, wide, length.value, length)
    return buffer.raw[: length.value - 2].decode("utf-16-le", errors="replace")


def _text_by_object(text: Any) -> dict[int, str]:
    """Return the text that each object draws, keyed by the object's address."""
    words = defaultdict[int, str](str)
    for index in range(max(0, raw.FPDFText_CountChars(text))):
        code = raw.FPDFText_GetUnicode(text, index)
        words[address_of(raw.FPDFText_GetTextObject(text, index))] += chr(code) if code < 0x110000 else ""
    return words


def _is_believed(replacement: str, drawn: str) -> bool:
    """Return whether the replacement is nearly the same as the drawn text."""
    new, old = _alphanumerics(replacement)[:_MAX_COMPARED], _alphanumerics(drawn)
    if not old:  # the font identifies none of the drawn characters
        return len(new) <= _MAX_TRUSTED * len("".join(drawn.split()))
    new *= max(1, round(len(old) / len(new)))  # the replacement may be drawn several times
    new, old = new[:_MAX_COMPARED], old[:_MAX_COMPARED]
    return max(_likeness(new, old), _likeness(new, old[::-1])) >= _MIN_LIKENESS


def _likeness(text: str, other_text: str) -> float:
    return SequenceMatcher(None, text, other_text, autojunk=False).ratio()


def _alphanumerics(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


_MIN_SIZE = 2.0  # Minimum drawn font size in points; print is legible from about 4.


def illegible_characters(characters: Characters) -> Marks:
    """Return which characters are illegible, as an array of shape (n,). Their boxes must also be small, because a font
    may have large shapes at a small size."""
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
_MIN_ALPHA = 0x10  # Minimum alpha, on a scale of 0 to 255; fainter text is practically transparent.
_FIRST_BEYOND_LATIN = 0x250  # First code point after Latin; PDFium has substitute fonts only for Latin.


def draws_nothing(characters: Characters) -> Marks:
    """Return which characters belong to objects that paint nothing, as an array of shape (n,). Other text may be
    visible in their place."""
    addresses = {address for address, handle in characters.handles.items() if _is_unpainted(handle)}
    return np.fromiter((address in addresses for address in characters.objects), np.bool_)


def is_drawable(characters: Characters, place: int) -> bool:
    """Return whether PDFium can draw the character. For fonts that are not embedded, PDFium has only Latin glyphs."""
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
"""Minimum fraction of a text's box that is under a picture. A picture that only touches the box does not show the
words."""


def hidden_characters(page: pdfium.PdfPage, characters: Characters, geometry: PageGeometry) -> list[int]:
    """Return PDFium's indexes of the hidden characters."""
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
    # If text is drawn twice, PDFium lists it once, so both objects must be removed to see a difference.
    look = Difference(page, [*objects.texts, *characters.handles.values()], characters.boxes[places])
    for place in np.flatnonzero(suspects & ~unseen).tolist():
        unseen[place] = not look.shows(characters.box(place, place + 1))
    _excuse(characters, unseen, look, objects)
    return unseen


def _by_object(characters: Characters, suspects: Marks) -> Marks:
    """Return all characters of the objects that contain a suspect letter or digit."""
    objects = {characters.objects[place] for place in np.flatnonzero(suspects & characters.are_letters).tolist()}
    return np.fromiter((address in objects for address in characters.objects), np.bool_)


def _excuse(characters: Characters, unseen: Marks, look: Difference, objects: PageObjects) -> None:
    """Clear `unseen` for text that a picture or drawing shows in the same place, and for text without drawable
    letters."""
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
    """Yield runs of consecutive invisible characters, object by object."""
    for start, end in characters.runs():
        for first, last in true_runs(unseen[start:end]):
            yield start + first, start + last


def _covers(picture: Box, box: Box) -> bool:
    common = common_area(picture, box)
    return common > 0 and common >= _MIN_COVERED * area(box)
