"""Comments on a page, each as a paragraph behind the text that it comments."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.readers.pdf.annotations import Comment
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.paragraphs import paragraphs_of
from corpus.readers.pdf.shown import Shown

_COMMENT_SIZE = 10.0  # Points, for comments on a page without text.


def with_comments(lines: list[Line], comments: Sequence[Comment], geometry: Shown) -> list[Line]:
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
    touching = [
        index
        for index, line in enumerate(lines)
        if line.box[0] < box[2] and box[0] < line.box[2] and line.box[1] < box[3] and box[1] < line.box[3]
    ]
    if touching:
        return touching[-1]
    middle = (box[1] + box[3]) / 2
    return min(
        range(len(lines)), key=lambda n: abs((lines[n].box[1] + lines[n].box[3]) / 2 - middle), default=-1
    )
