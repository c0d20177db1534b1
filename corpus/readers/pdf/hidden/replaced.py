"""Words that a file gives in place of those that it draws (ActualText): believed where they are much the same."""

from __future__ import annotations

import ctypes
import unicodedata
from collections import defaultdict
from difflib import SequenceMatcher
from typing import Any

from corpus.readers.pdf.hidden.characters import address_of
from corpus.readers.pdf.hidden.page_objects import page_objects
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.shown import Shown

_KEY = b"ActualText"
_SHORT = 6
"""Letters; ligatures, hyphens and single signs are replaced everywhere."""

_LONGEST = 1000
_ALIKE = 0.5


def text_as_drawn(page: pdfium.PdfPage, shown: Shown) -> tuple[pdfium.PdfTextPage, int]:
    """The text of the page, and how many letters it has left out for being other ones than are drawn.

    Where some are, no longer replacement on that page is believed, and the words that are drawn are given.
    """
    text = page.get_textpage()
    marked = _marked(page, shown)
    if not marked:
        return text, 0
    for objects in marked.values():
        for handle, mark in objects:
            raw.FPDFPageObj_RemoveMark(handle, mark)
    drawn = page.get_textpage()
    words = _words(drawn.raw)
    false = sum(
        len(_letters(said))
        for said, objects in marked.items()
        if not _is_believed(said, "".join(words[address_of(handle)] for handle, _ in objects))
    )
    (text if false else drawn).close()
    return (drawn if false else text), false


def _marked(page: pdfium.PdfPage, shown: Shown) -> dict[str, list[tuple[Any, Any]]]:
    """Objects of text with their marks, by the words that replace them."""
    found = defaultdict[str, list[tuple[Any, Any]]](list)
    for handle in page_objects(page, shown).texts:
        for number in range(max(0, raw.FPDFPageObj_CountMarks(handle))):
            mark = raw.FPDFPageObj_GetMark(handle, number)
            said = _said(mark)
            if len(_letters(said)) > _SHORT:
                found[said].append((handle, mark))
    return found


def _said(mark: Any) -> str:
    if raw.FPDFPageObjMark_CountParams(mark) <= 0:
        return ""
    length = ctypes.c_ulong()
    if not raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, None, 0, length) or length.value < 4:
        return ""
    buffer = ctypes.create_string_buffer(length.value)
    wide = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
    raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, wide, length.value, length)
    return buffer.raw[: length.value - 2].decode("utf-16-le", errors="replace")


def _words(text: Any) -> dict[int, str]:
    """What each object draws."""
    words = defaultdict[int, str](str)
    for index in range(max(0, raw.FPDFText_CountChars(text))):
        code = raw.FPDFText_GetUnicode(text, index)
        words[address_of(raw.FPDFText_GetTextObject(text, index))] += chr(code) if code < 0x110000 else ""
    return words


def _is_believed(said: str, drawn: str) -> bool:
    one, other = _letters(said)[:_LONGEST], _letters(drawn)
    if not other:  # nothing that the font can name
        return len(one) <= _SHORT * len("".join(drawn.split()))
    one *= max(1, round(len(other) / len(one)))  # where the same words are given again and again
    one, other = one[:_LONGEST], other[:_LONGEST]
    return max(_likeness(one, other), _likeness(one, other[::-1])) >= _ALIKE


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
