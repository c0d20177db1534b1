"""Form values beside their labels, tick boxes with their state, and comments behind the text that they comment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from corpus.documents.block import Box
from corpus.readers.pdf.annotations import Comment, Field
from corpus.readers.pdf.page_geometry import PageGeometry, union
from corpus.readers.pdf.text.lines import Line, Piece
from corpus.readers.pdf.text.paragraphs import paragraphs_of

_BESIDE = 16.0  # Points between a tick box and the words to its right.
_FAR = 300.0  # Points between a label and its field: half a page, as with labels in a column of their own.
_ABOVE = 1.0  # Label heights between a label and the field below it.
_OVER = 4.0  # Points by which a label may reach into its field.
_SIZE = 10.0  # Points, for a value of which nothing is drawn.


def with_values(lines: list[Line], fields: Sequence[Field]) -> list[Line]:
    """The lines of a page, each value in the line of its label or below it. Boxes of fields are on the shown page."""
    if not fields:
        return lines
    labels = [line for line in lines if line.field is None]
    of_field = defaultdict[int, list[Line]](list)
    for line in lines:
        if line.field is not None:
            of_field[line.field].append(line)
    entries = defaultdict[int, list[Line]](list)
    below = defaultdict[int, list[Line]](list)
    alone: list[Line] = []
    for number in sorted(range(len(fields)), key=lambda n: (round(fields[n].box[1] / 4), fields[n].box[0])):
        values = _values(fields[number], of_field[number])
        if not values:
            continue
        label, is_beside = _label_of(fields[number], labels, [each.box for each in fields])
        if label is None:
            alone += values
        elif is_beside and len(values) == 1:
            entries[label] += values
        else:
            below[label] += values
    result: list[Line] = []
    for index, line in enumerate(labels):
        result.append(_entry(line, entries[index]) if entries[index] else line)
        result += below[index]
    return [*result, *alone]


def _values(field: Field, drawn: list[Line]) -> list[Line]:
    """The content of the field, as lines."""
    if field.is_ticked is not None:
        return [Line("[x]" if field.is_ticked else "[ ]", field.box, _SIZE, is_entry=True)]
    if drawn:
        return [replace(line, is_entry=True) for line in drawn]
    return [Line(" ".join(field.value.split()), field.box, _SIZE, is_entry=True)] if field.value else []


def _label_of(field: Field, labels: list[Line], fields: list[Box]) -> tuple[int | None, bool]:
    """The index of the field's label, and whether the value continues the label's line."""
    left, top, right, _ = field.box
    row = [n for n, line in enumerate(labels) if _in_row(line.box, field.box)]
    if field.is_ticked is not None:
        behind = [n for n in row if -_OVER <= labels[n].box[0] - right <= _BESIDE]
        if behind:
            return min(behind, key=lambda n: labels[n].box[0]), True
    left_fields = [box[2] for box in fields if box[2] <= left and _in_row(box, field.box)]
    before = [
        n for n in row if labels[n].box[2] <= left + _OVER and left - max([labels[n].box[2], *left_fields]) <= _FAR
    ]
    if before:
        return max(before, key=lambda n: labels[n].box[2]), True
    above = [
        n
        for n, line in enumerate(labels)
        if -_OVER <= top - line.box[3] <= _ABOVE * max(line.size, 1.0)
        and line.box[0] < right
        and left - _OVER <= line.box[2]
        and not any(_parts(box, line.box, field.box) for box in fields)
    ]
    if above:
        return max(above, key=lambda n: labels[n].box[3]), False
    return None, False


def _parts(box: Box, label: Box, field: Box) -> bool:
    """Whether another field stands between a label and the field below it."""
    return (
        box != field
        and label[3] <= box[1] + _OVER
        and box[3] <= field[1] + _OVER
        and box[0] < field[2]
        and (field[0] < box[2])
    )


def _in_row(line: Box, field: Box) -> bool:
    together = min(line[3], field[3]) - max(line[1], field[1])
    return together > 0.5 * min(line[3] - line[1], field[3] - field[1])


def _entry(label: Line, values: list[Line]) -> Line:
    """The label and its values as one line, from left to right."""
    text, pieces = "", list[Piece]()
    for line in sorted([label, *values], key=lambda line: line.box[0]):
        text += " " * bool(text)
        pieces += [(len(text) + start, box) for start, box in line.pieces or ((0, line.box),)]
        text += line.text.strip()
    box = union([label.box, *(line.box for line in values)])
    return replace(label, text=text, box=box, pieces=tuple(pieces), is_entry=True)


_COMMENT_SIZE = 10.0  # Points, for comments on a page without text.


def with_comments(lines: list[Line], comments: Sequence[Comment], geometry: PageGeometry) -> list[Line]:
    """The lines of a page in reading order, with the comments inserted."""
    if not comments:
        return lines
    last_lines = _last_lines(lines)
    behind: dict[int, list[Line]] = {}
    for comment in comments:
        box = geometry.box(*comment.box)
        index = _line_at(lines, box)
        index = last_lines[index] if index >= 0 else index
        size = lines[index].size if index >= 0 else _COMMENT_SIZE
        texts = [text for text in comment.text.split("\n") if text.strip()]
        behind.setdefault(index, []).extend(
            Line(text, box, size, is_comment=True, begins=number == 0) for number, text in enumerate(texts)
        )
    result = list(behind.get(-1, []))
    for index, line in enumerate(lines):
        result += [line, *behind.get(index, [])]
    return result


def _last_lines(lines: list[Line]) -> list[int]:
    """For each line the index of the last line of its paragraph."""
    last: list[int] = []
    for group in paragraphs_of(lines):
        last += [len(last) + len(group) - 1] * len(group)
    return last


def _line_at(lines: list[Line], box: tuple[float, float, float, float]) -> int:
    """The last line that the box touches, else the nearest; -1 without lines."""
    indexes = [
        index
        for index, line in enumerate(lines)
        if line.box[0] < box[2] and box[0] < line.box[2] and line.box[1] < box[3] and box[1] < line.box[3]
    ]
    if indexes:
        return indexes[-1]
    middle = (box[1] + box[3]) / 2
    return min(range(len(lines)), key=lambda n: abs((lines[n].box[1] + lines[n].box[3]) / 2 - middle), default=-1)
