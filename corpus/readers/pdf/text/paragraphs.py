"""Build paragraphs from lines by distance, size and indent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from corpus.documents.block import Box
from corpus.documents.line_boxes import LineBox, box_within
from corpus.readers.chunking import split_spans
from corpus.readers.pdf.page_geometry import union
from corpus.readers.pdf.text.lines import HYPHEN, Line, Piece, Words, join, without_mark
from corpus.readers.pdf.text.listings import follows, line_breaks

_SIGN = re.compile(r"\s*([*∗†‡§¶]{1,3})(?=\s?[^\W\d_])")
_RAISED = re.compile(r"\s*(\d{1,3}|[a-z])(?=\s?\S*[^\W\d_]|$)")
_NO_NOTE = re.compile(r"\s*(?:fig(?:ure|\.)|table|tab\.|abb(?:ildung|\.)|tabelle|algorithm|listing)\b", re.IGNORECASE)
_MAX_NOTE_SIZE = 0.93  # Maximum ratio of a footnote's font size to the body's; footnotes have 0.8 to 0.9.
_MIN_BODY_SHARE = 0.2
"""Minimum fraction of the page's characters in the body size; a page may contain more footnotes than text."""

_MIN_TOP = 0.3  # Fraction of the page's height, from the top, in which no footnote starts.
_MIN_BODY_LINE = 25  # Minimum length in characters of a line of running text below a group; page numbers are shorter.
_MIN_NOTE = 15  # Minimum length in characters of a footnote's first line; a superscript in a formula is shorter.


def with_footnotes_last(lines: list[Line], height: float) -> tuple[list[Line], list[Line]]:
    """Return the running text of a page, and its footnotes, which are marked as such; both are in order. Text of the
    footnotes' size below all footnotes, such as a footer, is put after them."""
    body = _body_size(lines)
    groups = [group for group in _small_groups(lines, body) if _at_the_foot(group, lines, body, height)]
    first = [group for group in groups if starts_note(lines[group[0]])]
    sizes = {lines[group[0]].size for group in first}
    groups = [group for group in groups if lines[group[0]].size in sizes]
    lowest = max((lines[group[-1]].box[3] for group in first), default=0.0)
    groups.sort(key=lambda group: lines[group[0]].box[1] > lowest)
    notes = [index for group in groups for index in group]
    note_indexes = set(notes)
    text = [line for index, line in enumerate(lines) if index not in note_indexes]
    return text, [_note(lines[index]) for index in notes]


def starts_note(line: Line) -> bool:
    """Return whether a footnote starts with the line: a sign or raised number, followed by some words."""
    return len(line.text) >= _MIN_NOTE and _mark(line) is not None


def _mark(line: Line) -> re.Match[str] | None:
    return _SIGN.match(line.text) or (_RAISED.match(line.text) if line.has_raised_start else None)


def _note(line: Line) -> Line:
    """Return the line marked as a footnote line, with a space after its footnote mark."""
    mark = _mark(line) if starts_note(line) else None
    text = f"{mark[1]} {line.text[mark.end() :].lstrip()}" if mark else line.text
    return replace(line, text=text, is_note=True, pieces=line.pieces if text == line.text else ())


def _body_size(lines: list[Line]) -> float:
    """Return the largest font size that a large fraction of the page's characters has."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    enough = _MIN_BODY_SHARE * sum(sizes.values())
    return max((size for size, count in sizes.items() if count >= enough), default=0.0)


def _small_groups(lines: list[Line], body: float) -> list[list[int]]:
    """Return groups of small lines that follow each other down a column. A footnote mark starts a new group, because
    the lines above it may not be a note."""
    groups: list[list[int]] = []
    for index, line in enumerate(lines):
        if line.size > _MAX_NOTE_SIZE * body or line.scattered or _NO_NOTE.match(line.text):
            continue
        last = lines[index - 1] if index else None
        goes_on = (
            groups
            and last
            and groups[-1][-1] == index - 1
            and abs(last.size - line.size) <= 0.15 * body
            and -line.size < line.box[1] - last.box[1] < 2.5 * line.size
            and not starts_note(line)
        )
        if goes_on:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _at_the_foot(group: list[int], lines: list[Line], body: float, height: float) -> bool:
    """Return whether no text of the body's size is below the group in its column."""
    top = lines[group[0]].box[1]
    left = min(lines[index].box[0] for index in group)
    right = max(lines[index].box[2] for index in group)
    if top < _MIN_TOP * height:
        return False
    return not any(
        line.size > _MAX_NOTE_SIZE * body
        and line.box[1] > top
        and line.box[0] < right
        and left < line.box[2]
        and len(line.text) >= _MIN_BODY_LINE
        for line in lines
    )


_MAX_PARAGRAPH_LINES = 200  # Maximum number of lines in a paragraph; a longer one is cut into blocks anyway.
_MIN_PARAGRAPH_GAP = 0.75
"""Minimum gap, in line heights, between paragraphs, unless the page's lines are farther apart."""

_MAX_LINE_GAP, _MIN_WIDE_GAPS, _GAP_SPREAD, _MIN_PROSE_LENGTH = 2.2, 2, 0.25, 30
"""Limits for detecting double spacing, which leaves gaps of about 1.5 line heights. There must be at least two such
gaps, each after a line of at least 30 characters; labels are shorter. Gaps vary by a quarter of a line height,
depending on descenders."""

_MIN_STACKED_GAP = 1.5
"""Minimum gap between paragraphs of vertical Japanese, in column widths. Its columns are up to twice as far apart as
lines, to make room for ruby."""

_ITEM = re.compile(
    r"\s*(?:[•▪●■◦○‣∙·–*➢➤►▶✓✔❖◆\uf0a7\uf0b7\uf0d8\uf076]|-(?=\s)|\(?\d{1,2}[.)](?=\s)|\(?[a-z][.)](?=\s)"
    r"|\([A-Z]\)(?=\s)|\(?[ivx]{2,5}\)(?=\s))"
)

_BARE = re.compile(r"\s*(\d{1,2})\s+(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text, with the box of each line and the line's start in the text. `first` is the index of the first line
    on the page. `pieces` are the same boxes, some of them split into parts."""

    text: str
    starts: tuple[int, ...]
    boxes: tuple[Box, ...]
    first: int = 0
    pieces: tuple[Piece, ...] = ()

    @property
    def box(self) -> Box:
        """The box around all lines."""
        return union(list(self.boxes))


def paragraphs_of(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each paragraph, in order."""
    lines = list(lines)
    gap = _usual_gap(lines)
    group: list[Line] = []
    for line in lines:
        if group and (len(group) >= _MAX_PARAGRAPH_LINES or starts_new(line, group, gap)):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def paragraph(lines: list[Line], words: Words, first: int = 0) -> Paragraph:
    """Return the lines as running text. The line break after a line that ends early is preserved, as in lists and
    tables."""
    text, starts, pieces = "", list[int](), list[Piece]()
    for index, line in enumerate(lines):
        if line.is_listing or line.is_comment:
            text += "\n" * line_breaks(lines, index) + line.text
        elif index and (_ends_short(lines[index - 1], lines) or _tabular(lines[index - 1]) or _tabular(line)):
            text = without_mark(text) + "\n" + line.text.strip()
        else:
            text = join(text, line.text.strip(), words)
        starts.append(max(0, len(text) - len(line.text.strip())))
        pieces += [(starts[-1] + offset, box) for offset, box in line.pieces or ((0, line.box),)]
    return Paragraph(without_mark(text), tuple(starts), tuple(line.box for line in lines), first, tuple(pieces))


def split_paragraph(whole: Paragraph) -> list[Paragraph]:
    """Split a paragraph into parts that fit into blocks, each with the boxes of its lines."""
    return [_part(whole, start, end) for start, end in split_spans(whole.text)]


def _part(whole: Paragraph, start: int, end: int) -> Paragraph:
    lines = _within(whole, list(zip(whole.starts, whole.boxes, strict=True)), start, end)
    text = whole.text[start:end]
    # In listings, preserve the indent of a part's first line.
    is_line = start == 0 or whole.text[start - 1] == "\n"
    stripped = text.lstrip("\n") if is_line else text.lstrip()
    lead = start + len(text) - len(stripped)
    starts = tuple(max(0, place - lead) for _, place, _ in lines)
    pieces = tuple((max(0, place - lead), box) for _, place, box in _within(whole, whole.pieces, start, end))
    boxes = tuple(box for _, _, box in lines)
    return Paragraph(stripped.rstrip(), starts, boxes, whole.first + lines[0][0], pieces)


def _within(whole: Paragraph, pieces: Sequence[Piece], start: int, end: int) -> list[tuple[int, int, Box]]:
    """Return the index, start and box of each piece that overlaps `start` to `end`, cut to that range."""
    ends = [*(place for place, _ in pieces[1:]), len(whole.text) + 1]
    indexes = [
        i for i, (piece, piece_end) in enumerate(zip(pieces, ends, strict=True)) if piece[0] < end and piece_end > start
    ]
    parts = []
    for i in indexes or [0]:
        line = LineBox(pieces[i][0], min(ends[i], len(whole.text)), pieces[i][1])
        box = box_within(line, whole.text, max(line.start, start), min(line.end, end))
        parts.append((i, line.start, box))
    return parts


def _usual_gap(lines: list[Line]) -> float:
    """Return the widest gap within a paragraph, in line heights. It is wider on a page with double spacing.

    If a line starts in lower case below a line of prose without a full stop, it continues the sentence.
    """
    gaps = [
        gap
        for last, line in pairwise(lines)
        if line.text[:1].islower()
        and len(last.text) >= _MIN_PROSE_LENGTH
        and last.text.rstrip()[-1:] not in ".:;!?"
        and line.size == last.size
        and 0 < (gap := (line.reading_box[1] - last.reading_box[3]) / _height(last)) < _MAX_LINE_GAP
    ]
    return max(_MIN_PARAGRAPH_GAP, median(gaps) + _GAP_SPREAD) if len(gaps) >= _MIN_WIDE_GAPS else _MIN_PARAGRAPH_GAP


def _height(line: Line) -> float:
    return max(line.size, line.reading_box[3] - line.reading_box[1], 1.0)


def starts_new(line: Line, group: list[Line], gap: float = _MIN_PARAGRAPH_GAP) -> bool:
    """Return whether the line starts a new paragraph below `group`. A distance of `gap` line heights separates
    paragraphs."""
    last = group[-1]
    if _kind(line) != _kind(last) or (line.is_note and starts_note(line) and not last.text.endswith(HYPHEN)):
        return True
    if line.is_listing or line.is_comment:
        return line.begins if line.is_comment else not follows(line, last)
    if abs(line.size - last.size) > 0.12 * max(line.size, last.size) or line.bold != last.bold:
        return not last.text.endswith(HYPHEN)
    box, last_box = line.reading_box, last.reading_box
    height = _height(last)
    if box[1] < last_box[1] - height:  # the line is in the next column, or the page is laid out in another order
        return not (last.text.endswith(HYPHEN) or line.text[:1].islower())
    if box[1] - last_box[3] > (_MIN_STACKED_GAP if line.is_stacked else gap) * height or _ITEM.match(line.text):
        return True
    return _counts_on(line, group) or _is_indented(line, last, group)


def _kind(line: Line) -> tuple[bool, bool, int, bool, bool]:
    """Return the kind of a line. Lines of different kinds are never in the same paragraph."""
    return line.is_note, line.is_upright, line.direction, line.is_listing, line.is_comment


def _counts_on(line: Line, group: list[Line]) -> bool:
    """Return whether the line is the next item of a list that is numbered without full stops."""
    now = _BARE.match(line.text)
    if now is None:
        return False
    if now[1] == "1":
        return group[-1].text.rstrip().endswith(":")
    above = (other for other in group if abs(line.reading_box[0] - other.reading_box[0]) < 0.5 * line.size)
    numbers = (_BARE.match(other.text) for other in above)
    return any(before and int(before[1]) == int(now[1]) - 1 for before in numbers)


def _is_indented(line: Line, last: Line, group: list[Line]) -> bool:
    """Return whether the line is indented relative to the previous one."""
    step = line.reading_box[0] - last.reading_box[0]
    return 0.8 * line.size < step < 4 * line.size and len(group) > 1 and not last.text.endswith(HYPHEN)


def _tabular(line: Line) -> bool:
    """Return whether the line looks like a row of a table or of a table of contents: it is mostly numbers, or has a
    leader."""
    words = line.text.split()
    figures = sum(1 for word in words if any(char.isdigit() for char in word))
    return line.scattered or line.is_entry or "…" in line.text or (figures >= 3 and 2 * figures >= len(words))


def _ends_short(line: Line, lines: list[Line]) -> bool:
    """Return whether the line leaves a third of the column empty."""
    if line.text.endswith(HYPHEN):
        return False
    box = line.reading_box
    boxes = [other.reading_box for other in lines]
    left, _, right, _ = union([other for other in boxes if other[0] < box[2] and box[0] < other[2]] or [box])
    return box[2] < right - max(0.3 * (right - left), 2 * line.size)
