"""Footnotes: small lines at the foot of a column, the first of them with a mark."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from corpus.readers.pdf.text.lines import Line

_SIGN = re.compile(r"\s*([*∗†‡§¶]{1,3})(?=\s?[^\W\d_])")
_RAISED = re.compile(r"\s*(\d{1,3}|[a-z])(?=\s?\S*[^\W\d_]|$)")
_NO_NOTE = re.compile(r"\s*(?:fig(?:ure|\.)|table|tab\.|abb(?:ildung|\.)|tabelle|algorithm|listing)\b", re.IGNORECASE)
_MAX_NOTE_SIZE = 0.93  # Share of the body's font size; footnotes are set in 0.8 to 0.9.
_MIN_BODY_SHARE = 0.2
"""Share of the page's characters in the body size; a page may hold more footnotes than text."""

_MIN_TOP = 0.3  # Share of the page's height above which no footnote starts.
_MIN_BODY_LINE = 25  # Characters of a line of running text below a group; page numbers are shorter.
_MIN_NOTE = 15  # Characters of a footnote's first line; a superscript in a formula has fewer.


def with_footnotes_last(lines: list[Line], height: float) -> tuple[list[Line], list[Line]]:
    """The running text of a page, and its footnotes marked as such, both in order. Text below all footnotes in their
    size, such as a footer, follows them."""
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
    """Whether a footnote starts with the line: a sign or raised number, and some words."""
    return len(line.text) >= _MIN_NOTE and _mark(line) is not None


def _mark(line: Line) -> re.Match[str] | None:
    return _SIGN.match(line.text) or (_RAISED.match(line.text) if line.has_raised_start else None)


def _note(line: Line) -> Line:
    """The line as one of a footnote, with a space behind its mark."""
    mark = _mark(line) if starts_note(line) else None
    text = f"{mark[1]} {line.text[mark.end() :].lstrip()}" if mark else line.text
    return replace(line, text=text, is_note=True, pieces=line.pieces if text == line.text else ())


def _body_size(lines: list[Line]) -> float:
    """The largest size with a good share of the page."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    enough = _MIN_BODY_SHARE * sum(sizes.values())
    return max((size for size, count in sizes.items() if count >= enough), default=0.0)


def _small_groups(lines: list[Line], body: float) -> list[list[int]]:
    """Small lines that follow each other down a column. A mark starts a group, because the lines above may be no
    note."""
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
    """Whether nothing of the body's size stands below the group in its column."""
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
