"""Titles of pictures without a caption: the title of the slide, or the nearest heading above."""

from __future__ import annotations

from corpus.blocks import Box
from corpus.readers.pdf.lines import Line, usual_size
from corpus.readers.pdf.shown import contains

_MIN_LARGER = 1.15  # Font size by the usual one; less is emphasis.
_HEADER_ZONE = 0.08  # Share of the page's height; bold lines there are running headers.
_MAX_TITLE = 200  # Characters; longer text is a paragraph.
_MAX_TITLE_LINES = 3  # Lines; a title with more is body text set large.


def title_of(box: Box, lines: list[Line], height: float) -> tuple[int, ...]:
    """Indexes of the title's lines in order; empty if nothing above stands out. `height` is the page's height in
    points."""
    usual = usual_size(lines)
    above = [
        index
        for index, line in enumerate(lines)
        if line.box[3] <= box[1] + line.size
        and not contains(box, line.box)
        and _stands_out(line, usual)
        and (line.size > _MIN_LARGER * usual or line.box[1] > _HEADER_ZONE * height)
    ]
    if not above:
        return ()
    largest = max(lines[index].size for index in above)
    titles = [
        index for index in above if lines[index].size >= 0.95 * largest and largest > _MIN_LARGER * usual
    ]
    nearest = max(titles or above, key=lambda index: lines[index].box[3])
    return _with_lines_above(nearest, above, lines)


def _with_lines_above(nearest: int, among: list[int], lines: list[Line]) -> tuple[int, ...]:
    """The title with the lines of its size directly above."""
    title = [nearest]
    while title[0] - 1 in among and len(title) < _MAX_TITLE_LINES:
        before, first = lines[title[0] - 1], lines[title[0]]
        if abs(before.size - first.size) > 0.5 or not 0 <= first.box[1] - before.box[1] < 2 * first.size:
            break
        title.insert(0, title[0] - 1)
    return tuple(title)


def _stands_out(line: Line, usual: float) -> bool:
    text = line.text.strip()
    return (
        (line.size > _MIN_LARGER * usual or line.bold)
        and any(map(str.isalpha, text))
        and len(text) <= _MAX_TITLE
    )
