"""Text of a page: its corrected characters without hidden ones, and the lines that PDFium finds in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

from corpus.documents.block import Box
from corpus.readers.pdf.annotations import NO_ANNOTATIONS, PageAnnotations
from corpus.readers.pdf.page_geometry import PageGeometry, pdfium, raw, rotate_box, union
from corpus.readers.pdf.rules import NO_RULES, Rules, struck_characters
from corpus.readers.pdf.text.font_encoding import decode, join_halves
from corpus.readers.pdf.text.glyphs import Glyphs
from corpus.readers.pdf.text.hidden_characters import hidden_characters, text_as_drawn
from corpus.readers.pdf.text.lines import HYPHEN, Line, Piece, Typed, pieces_of
from corpus.readers.pdf.text.listings import Row, line_numbers
from corpus.readers.pdf.text.reading_order import Row as GutterRow
from corpus.readers.pdf.text.reading_order import gutters_of
from corpus.readers.pdf.text.right_to_left import Glyph, has_right_to_left, is_right_to_left, words_as_written
from corpus.readers.pdf.text.superscripts import with_additions, write_raised
from corpus.readers.pdf.text.visibility import Characters, characters_of

_MARK = re.compile(r"\s*(?:\d{1,2}[.)]?|[^\w\s])\s+(?=\S)")
_LINE = re.compile(r"[^\r\n\x02\ufffe]+[\x02\ufffe]?|[\x02\ufffe]")
_NUMBER_AT_END = re.compile(r"\A\s*\d+(?!\S)|(?<!\S)\d+\s*\Z")
_LEADERS = re.compile(r"(?:\s?\.){5,}\s*")
_FORMS = re.compile(r"[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc]")
_CAPTIONS = re.compile(r"\b(?:Figure|FIGURE|Fig\.|FIG\.|Abbildung|Abb\.|Table|Tabelle) ?[A-Z]?\d[\d.]*[:. ]")
_MIN_COLUMN_GAP = 8.0  # Minimum distance in points between two captions or fields side by side; a space is 3 to 5.
_MIN_WIDE_GAP = 2.5
"""Minimum gap, in font heights, between two runs of a scattered line. Cells of a row are farther apart; words of a
justified line are closer together."""

_MAX_RAISED_SIZE = 0.85  # Maximum ratio of the first size to the line's size: footnote numbers have 0.58 to 0.83.
_HYPHENS = (HYPHEN, "\ufffe")
_MAX_LINE = 2_000  # Maximum length in characters of a line that is reordered; the running time is quadratic.
_MAX_COMPARED = 2_000_000
"""Maximum product of the numbers of characters and boxes. A dense form has 4,000 and 200, which takes a second. Above
the limit, fields are read as drawn."""

_MAX_SPACES = 200  # Maximum number of empty columns between two characters of a listing; no page has more.
_MIN_LINE_STEP = 0.5
"""Minimum distance, in font heights, between the baselines of two lines; superscripts and subscripts are shifted by
less."""


Span = tuple[int, int, list[Box]]
"""Start and end of a line in the page's characters, and the boxes of the line's runs."""


class PageCharacters:
    """The characters of a page, addressed by PDFium's indexes."""

    def __init__(
        self,
        page: pdfium.PdfPage,
        geometry: PageGeometry,
        marks: PageAnnotations = NO_ANNOTATIONS,
        rules: Rules = NO_RULES,
    ) -> None:
        self._page, replaced_count = text_as_drawn(page, geometry)
        self._handle = self._page.raw
        self._glyphs = Glyphs(self._handle, geometry)
        self.runs: list[Box] = []
        """Boxes of the runs that `lines` has processed so far."""
        self.line_numbers = 0
        """Number of line numbers that `lines` has omitted so far."""

        self.turned_lines: list[tuple[int, int, list[Glyph], int]] = []
        """Lines that run upwards, downwards or to the left: the first character of each line, its end, its words in
        writing order, and its direction. A rotated line is one word."""
        count = max(0, raw.FPDFText_CountChars(self._handle))
        # Read the characters individually, because PDFium's text loses those above U+FFFF.
        unicode = raw.FPDFText_GetUnicode
        codes = [unicode(self._handle, index) for index in range(count)]
        chars = [_char(code) for code in codes]
        halves = join_halves(chars)
        characters = characters_of(self._handle, codes, geometry)
        unseen = hidden_characters(page, characters, geometry)
        self._boxes = dict(zip(characters.indexes, characters.boxes.tolist(), strict=True))
        self._directions = self._character_directions(characters)
        fields = marks.fields if len(marks.fields) * len(self._boxes) <= _MAX_COMPARED else []
        self.fields = [replace(each, box=geometry.box(*each.box)) for each in fields]
        self._in_field = self._within([each.box for each in self.fields])
        for index in unseen:
            chars[index] = "\0"
        self.hidden = len(unseen) + replaced_count
        self.unmapped = decode(self._handle, chars, characters, set(unseen), set(halves))
        struck_indexes = set(self._within([geometry.box(*box) for box in marks.struck]))
        struck_indexes.update(struck_characters(self._boxes, chars, rules.level))
        self.struck = _take_out_struck(sorted(struck_indexes), chars)
        for index, number in self._in_field.items():
            if self.fields[number].is_ticked is not None:  # the tick replaces the drawn sign
                chars[index] = "\0"
        self.insertions = dict.fromkeys(halves, "") | write_raised(chars, characters, self._glyphs)
        """Text inserted after characters of `text`, keyed by index, such as the `^` of a power. Empty where a line
        break was removed."""
        self.text = "".join(chars)
        self._is_leftward = is_right_to_left(self.text)

    @property
    def handle(self) -> Any:
        """PDFium's text page, for queries about the characters of `text`."""
        return self._handle

    def close(self) -> None:
        """Release PDFium's text page."""
        self._page.close()

    def lines(self) -> Iterator[Line]:
        """Yield the lines with visible text."""
        spans = [
            (start, end, boxes)
            for match in _LINE.finditer(self.text)
            for first, last in self._by_direction(match.start(), match.end())
            for begin, stop in self._by_field(first, last)
            for start, end in self._parts(begin, stop)
            if not self.text[start:end].isspace() and (boxes := self._glyphs.boxes(start, end))
        ]
        for start, end, boxes in self._by_column(self._without_line_numbers(spans)):
            text_drawn = self.text[start:end]
            words = self._right_to_left(start, end)
            text = _plain_text(
                with_additions(text_drawn, start, self.insertions) if words is None else _join_words(words)
            )
            if text.strip():
                self.runs += boxes
                line = self._line(text, boxes, start, text_drawn, is_reordered=words is not None)
                if words is not None:
                    self.turned_lines.append(
                        (start, end, [Glyph(_plain_text(word.text), word.box) for word in words], 0)
                    )
                elif line.direction in (90, 270):
                    whole = Glyph(text.strip(" " + HYPHEN), line.box)
                    self.turned_lines.append((start, end, [whole], line.direction))
                yield replace(line, field=self._field_of(start, end)) if self._in_field else line

    def _field_of(self, start: int, end: int) -> int | None:
        return next((self._in_field[index] for index in range(start, end) if index in self._in_field), None)

    def _without_line_numbers(self, spans: list[Span]) -> list[Span]:
        """Return the spans without line numbers in the margin. The line numbers are also hidden from tables."""
        if sum(bool(_NUMBER_AT_END.search(self.text[start:end])) for start, end, _ in spans) < 2:
            return spans
        rows = [
            Row(self.text[start:end], [self._boxes.get(index) for index in range(start, end)])
            for start, end, _ in spans
        ]
        chars = list(self.text)
        for row, first, last in (numbers := line_numbers(rows)):
            start = spans[row][0]
            self.runs += self._glyphs.boxes(start + first, start + last)
            chars[start + first : start + last] = "\0" * (last - first)
        self.line_numbers += len(numbers)
        self.text = "".join(chars)
        changed = {row for row, _, _ in numbers}
        return [each for row, span in enumerate(spans) for each in (self._trim(span) if row in changed else (span,))]

    def _trim(self, span: Span) -> Iterator[Span]:
        """Yield the span without hidden characters at its ends, or nothing if the rest is empty."""
        written = self.text[span[0] : span[1]]
        start = span[0] + len(written) - len(written.lstrip("\0 "))
        end = span[1] - len(written) + len(written.rstrip("\0 "))
        if start < end and (boxes := self._glyphs.boxes(start, end)):
            yield start, end, boxes

    def _within(self, boxes: list[Box]) -> dict[int, int]:
        """Return the indexes of characters, each mapped to the box that contains the character's middle."""
        if not boxes or len(boxes) * len(self._boxes) > _MAX_COMPARED:
            return {}
        return {
            index: number
            for index, (left, top, right, bottom) in self._boxes.items()
            for number, box in enumerate(boxes)
            if box[0] <= (left + right) / 2 <= box[2] and box[1] <= (top + bottom) / 2 <= box[3]
        }

    def _by_field(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Split a span at the edges of the form fields in its row."""
        if not self.fields:
            yield start, end
            return
        first: int = start
        last: tuple[int | None, int, float] | None = None
        for index in range(start, end):
            if index not in self._boxes:
                continue
            left, top, right, bottom = self._boxes[index]
            middle = (top + bottom) / 2
            fields_beside = [each.box for each in self.fields if each.box[1] <= middle <= each.box[3]]
            below = [each.box for each in self.fields if middle < each.box[1] < bottom + (bottom - top)]
            number = self._in_field.get(index)
            part = (
                number,
                0 if number is not None else sum(box[0] + box[2] < left + right for box in fields_beside),
            )
            is_parted = last is not None and any(
                box[0] - _MIN_COLUMN_GAP < left and last[2] + _MIN_COLUMN_GAP < left and last[2] < box[0]
                for box in below
            )
            if last is not None and (part != last[:2] or is_parted):
                yield first, index
                first = index
            last = (*part, right)
        yield first, end

    def _character_directions(self, characters: Characters) -> dict[int, int]:
        """Return the directions of the characters by index, if some on the page are rotated; otherwise an empty
        dictionary."""
        firsts = dict(zip(reversed(characters.objects), reversed(characters.indexes), strict=True))
        directions = {address: self._glyphs.direction(index) for address, index in firsts.items()}
        if not any(directions.values()):
            return {}
        return {
            index: directions[address] for index, address in zip(characters.indexes, characters.objects, strict=True)
        }

    def _by_direction(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Split a span where the direction changes, because PDFium continues a line with rotated characters."""
        if not self._directions and not self._glyphs.is_monospaced(start):
            yield start, end
            return
        first, last = start, None
        for index in range(start, end):
            if index not in self._boxes:
                continue
            if last is not None and self._is_new_line(last, index):
                yield first, index
                first = index
            last = index
        yield first, end

    def _is_new_line(self, last: int, index: int) -> bool:
        direction = self._directions.get(index, 0)
        if direction != self._directions.get(last, 0):
            return True
        if direction == 0:  # PDFium appends a lone bracket to the line of code above
            box, above = self._boxes[index], self._boxes[last]
            return box[0] < above[0] and box[1] > above[3] and self._glyphs.is_monospaced(index)
        at, before = self._glyphs.origin(index, -direction), self._glyphs.origin(last, -direction)
        size = self._glyphs.size(index)
        return abs(at[1] - before[1]) > _MIN_LINE_STEP * size or at[0] < before[0] - size

    def _right_to_left(self, start: int, end: int) -> list[Glyph] | None:
        """Return the words of a line in writing order, or None if no part of it runs to the left."""
        text = self.text[start:end]
        if end - start > _MAX_LINE or not has_right_to_left(text) or any(map(self._directions.get, range(start, end))):
            return None
        glyphs = [
            Glyph(self.text[index] + self.insertions.get(index, ""), self._glyphs.loose_box(index), index)
            for index in range(start, end)
            if index in self._boxes and self.text[index] != "\0"
        ]
        if not (is_right_to_left(text) or self._is_leftward):
            return None
        spaces = {index for index in range(start, end) if self.text[index] in " \u00a0"}
        return words_as_written(glyphs, self._glyphs.size(start), spaces)

    def _parts(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the span, or its two parts if PDFium merged two captions side by side."""
        marks = [start + mark.start() for mark in _CAPTIONS.finditer(self.text[start:end])]
        if len(marks) < 2 or self.text[start : marks[0]].strip():
            return [(start, end)]
        first, second = self._glyphs.boxes(start, marks[1]), self._glyphs.boxes(marks[1], end)
        if not first or not second or union(second)[0] - union(first)[2] < _MIN_COLUMN_GAP:
            return [(start, end)]
        return [(start, marks[1]), (marks[1], end)]

    def _by_column(self, spans: list[Span]) -> Iterator[Span]:
        """Split spans in which PDFium merged two columns that are drawn row by row."""
        rows = [GutterRow(self.text[start:end], tuple(sorted(boxes))) for start, end, boxes in spans]
        gutters = gutters_of([row for row in rows if len(row.boxes) > 1])
        for row, (start, end, boxes) in zip(rows, spans, strict=True):
            places = [gutter.right for gutter in gutters if gutter.parts(row)]
            visible = [index for index in range(start, end) if self.text[index] not in " \0"] if places else []
            ends = [*self._glyphs.column_breaks(visible, places), end]
            if len(ends) == 1:
                yield start, end, boxes
                continue
            for first, last in pairwise([start, *ends]):
                if inner := self._glyphs.boxes(first, last):
                    yield first, last, inner

    def _line(self, text: str, boxes: list[Box], start: int, text_drawn: str, *, is_reordered: bool = False) -> Line:
        first = start + len(text_drawn) - len(text_drawn.lstrip())
        last = max(first, start + len(text_drawn.rstrip(" \x02\ufffe")) - 1)
        # Use the larger of two sizes because of small capitals and superscripts. List marks may exceed their text.
        first_size = self._glyphs.size(first)
        mark = _MARK.match(text_drawn)
        begin = self._glyphs.size(start + mark.end()) if mark else first_size
        size = max(begin, self._glyphs.size((first + last) // 2))
        bold = self._glyphs.is_bold(first) and self._glyphs.is_bold(last)
        box = union(boxes)
        is_stacked = self._glyphs.is_stacked(first, last)
        turned_index = next((index for index in range(first, last + 1) if index in self._directions), first)
        direction = 90 if is_stacked else self._directions.get(turned_index, 0)
        pieces: tuple[Piece, ...] = ()
        is_as_drawn = len(text) == len(text_drawn) and "\0" not in text_drawn and not is_reordered
        if is_as_drawn and direction in (0, 180):
            pieces = pieces_of(text.strip(), box, first, self._boxes)
        scattered = _are_scattered([rotate_box(each, -direction) for each in boxes], size)
        is_raised = first_size < _MAX_RAISED_SIZE * size
        return Line(
            text,
            box,
            size,
            bold,
            scattered,
            is_raised,
            pieces=pieces,
            direction=direction,
            is_stacked=is_stacked,
            typed=None if direction or is_reordered else self._typewriter_line(first, last + 1, text_drawn[-1:]),
        )

    def _typewriter_line(self, start: int, end: int, sign: str) -> Typed | None:
        """Return the line in columns of characters, or None if its font is not monospaced."""
        if not (self._glyphs.is_monospaced(start) and self._glyphs.is_monospaced(end - 1)):
            return None
        indexes = [index for index in range(start, end) if index in self._boxes and self.text[index] != "\0"]
        boxes = [self._glyphs.loose_box(index) for index in indexes]
        lefts = [box[0] for box in boxes]
        # Measure only between adjacent characters: in `x = i ** 2`, most distances are across spaces.
        steps = [
            right - left
            for (left, right), (first, second) in zip(pairwise(lefts), pairwise(indexes), strict=True)
            if second == first + 1 and right > left
        ]
        width = median(steps or [box[2] - box[0] for box in boxes] or [0.0])
        if width <= 0:
            return None
        text_drawn, text = "", ""
        for place, (index, left) in enumerate(zip(indexes, lefts, strict=True)):
            char = self.text[index] + self.insertions.get(index, "")
            column = round((left - lefts[0]) / width)
            text += " " * min(column - len(text), _MAX_SPACES) + char
            is_parted = place > 0 and " " in self.text[indexes[place - 1] : index]
            text_drawn += " " * is_parted + char
        if text.split() != text_drawn.split():  # the characters do not all have the same width
            text = text_drawn
        return Typed(lefts[0], self._glyphs.origin(start)[1], width, _plain_text(text) + "-" * (sign in _HYPHENS))


def _take_out_struck(indexes: Sequence[int], chars: list[str]) -> int:
    """Replace struck-out characters with NUL, and return the number of passages."""
    for index in indexes:
        chars[index] = "\0"
    return sum(index - before > 2 for before, index in pairwise(indexes)) + bool(indexes)


def _are_scattered(boxes: list[Box], size: float) -> bool:
    return any(after[0] - before[2] > _MIN_WIDE_GAP * size for before, after in pairwise(boxes))


def _join_words(words: list[Glyph]) -> str:
    return " ".join(word.text for word in words)


def _plain_text(text: str) -> str:
    """Return the text without ligatures and other presentation forms, and with each dot leader as one ellipsis."""
    text = text.replace("\ufffe", HYPHEN).replace("\0", "").replace("\u00a0", " ")
    return _LEADERS.sub(" … ", _FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text))


def _char(code: int) -> str:
    return chr(code) if code < 0x110000 else "\0"
