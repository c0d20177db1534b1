"""ActualText: words given in place of those drawn, believed where both are much the same."""

from __future__ import annotations

import ctypes
import unicodedata
from collections import defaultdict
from difflib import SequenceMatcher
from typing import Any

from corpus.readers.pdf.hidden.characters import address_of
from corpus.readers.pdf.page_geometry import PageGeometry
from corpus.readers.pdf.page_objects import page_objects
from corpus.readers.pdf.pdfium import pdfium, raw

_KEY = b"ActualText"
_MAX_TRUSTED = 6  # Characters; ligatures, hyphens and single signs are replaced everywhere.
_MAX_COMPARED = 1000  # Characters that are compared; the time grows with their square.
_MIN_LIKENESS = 0.5
"""Ratio of difflib (Ratcliff and Obershelp, 1988): corrected recognised text is above, another sentence below."""


def text_as_drawn(page: pdfium.PdfPage, geometry: PageGeometry) -> tuple[pdfium.PdfTextPage, int]:
    """The text page, and the number of characters left out because others are drawn. If there are any, no longer
    replacement on the page is believed, and the drawn words are given."""
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
    """Text objects with their marks, by the words that replace them."""
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
    """The text that each object draws, by address."""
    words = defaultdict[int, str](str)
    for index in range(max(0, raw.FPDFText_CountChars(text))):
        code = raw.FPDFText_GetUnicode(text, index)
        words[address_of(raw.FPDFText_GetTextObject(text, index))] += chr(code) if code < 0x110000 else ""
    return words


def _is_believed(replacement: str, drawn: str) -> bool:
    """Whether the replacement is much the same text as the one that is drawn."""
    new, old = _alphanumerics(replacement)[:_MAX_COMPARED], _alphanumerics(drawn)
    if not old:  # the font names none of its characters
        return len(new) <= _MAX_TRUSTED * len("".join(drawn.split()))
    new *= max(1, round(len(old) / len(new)))  # where the same words are given again and again
    new, old = new[:_MAX_COMPARED], old[:_MAX_COMPARED]
    return max(_likeness(new, old), _likeness(new, old[::-1])) >= _MIN_LIKENESS


def _likeness(text: str, other_text: str) -> float:
    return SequenceMatcher(None, text, other_text, autojunk=False).ratio()


def _alphanumerics(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
