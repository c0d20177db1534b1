"""The lines of a page in reading order, each with its box, size and weight, as PDFium finds them."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.blocks import Box
from corpus.readers.pdf.hidden import hidden_characters
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.shown import Shown, union

HYPHEN = "\x02"
"""How PDFium marks a hyphen at the end of a line."""

_LINE = re.compile(r"[^\r\n\x02\ufffe]+[\x02\ufffe]?|[\x02\ufffe]")
_LEADERS = re.compile(r"(?:\s?\.){5,}\s*")
_BOLD = re.compile(rb"bold|black|heavy|semibold|demi|medi\b|-bd|cmbx|sfbx|ecbx", re.IGNORECASE)
_NAME_BYTES = 128


@dataclass(frozen=True, slots=True)
class Line:
    """`text` may end with HYPHEN; `box` is on the shown page, `size` the height of its font in points."""

    text: str
    box: Box
    size: float
    bold: bool = False


class PageText:
    """The characters of a page, numbered as PDFium does."""

    def __init__(self, page: pdfium.PdfPage, shown: Shown) -> None:
        self._page = page.get_textpage()
        self._handle = self._page.raw
        self._shown = shown
        self.runs: list[Box] = []
        """The boxes of the runs that `lines` went through."""
        count = max(0, raw.FPDFText_CountChars(self._handle))
        # One by one, for PDFium's own text loses every character beyond U+FFFF.
        unicode = raw.FPDFText_GetUnicode
        letters = [_letter(unicode(self._handle, index)) for index in range(count)]
        unseen = hidden_characters(page, self._handle, count, shown)
        for index in unseen:
            letters[index] = "\0"
        self.hidden = len(unseen)
        self.text = "".join(letters)

    def close(self) -> None:
        """Gives back what PDFium holds for it."""
        self._page.close()

    def lines(self) -> Iterator[Line]:
        """Lines with something to see in them."""
        for match in _LINE.finditer(self.text):
            text = _LEADERS.sub(" … ", match.group().replace("\ufffe", HYPHEN).replace("\0", ""))
            boxes = self._boxes(match.start(), match.end())
            if text.strip() and boxes:
                yield self._line(text, union(boxes), match)

    def _line(self, text: str, box: Box, match: re.Match[str]) -> Line:
        first = match.start() + len(match.group()) - len(match.group().lstrip())
        last = match.end() - 1 - (len(match.group()) - len(match.group().rstrip(" \x02\ufffe")))
        middle = (first + max(first, last)) // 2
        # The larger of two, for small capitals and what is raised.
        size = max(self._size(first), self._size(middle))
        return Line(text, box, size, self._bold(first) and self._bold(max(first, last)))

    def _boxes(self, start: int, end: int) -> list[Box]:
        left, top, right, bottom = (ctypes.c_double() for _ in range(4))
        boxes = []
        for index in range(raw.FPDFText_CountRects(self._handle, start, end - start)):
            raw.FPDFText_GetRect(self._handle, index, left, top, right, bottom)
            box = self._shown.box(left.value, bottom.value, right.value, top.value)
            boxes.append((round(box[0], 1), round(box[1], 1), round(box[2], 1), round(box[3], 1)))
        seen = [box for box in boxes if self._shown.shows(box)]
        self.runs += seen
        return seen

    def _size(self, index: int) -> float:
        matrix = raw.FS_MATRIX()
        scale = 1.0
        if raw.FPDFText_GetMatrix(self._handle, index, matrix):
            scale = math.hypot(matrix.c, matrix.d)
        return round(float(raw.FPDFText_GetFontSize(self._handle, index)) * scale, 1)

    def _bold(self, index: int) -> bool:
        name = ctypes.create_string_buffer(_NAME_BYTES)
        flags = ctypes.c_int()
        raw.FPDFText_GetFontInfo(self._handle, index, name, _NAME_BYTES, flags)
        return bool(_BOLD.search(name.value))


def _letter(code: int) -> str:
    return chr(code) if code < 0x110000 else "\0"
