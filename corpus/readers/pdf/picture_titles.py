"""What a picture without a caption stands under: the title of its slide, or the nearest heading above it."""

from __future__ import annotations

from collections import Counter

from corpus.blocks import Box
from corpus.readers.pdf.layout import contains
from corpus.readers.pdf.lines import Line

_LARGER = 1.15
_EDGE = 0.08
_LONGEST = 200
_MOST_LINES = 3


def title_of(box: Box, lines: list[Line], height: float) -> tuple[int, ...]:
    """The indexes of the lines of the title, in order; none where nothing above stands out from the text.

    `height` is that of the page: what is only bold at its upper edge is a running header.
    """
    usual = _usual_size(lines)
    above = [
        index
        for index, line in enumerate(lines)
        if line.box[3] <= box[1] + line.size
        and not contains(box, line.box)
        and _stands_out(line, usual)
        and (line.size > _LARGER * usual or line.box[1] > _EDGE * height)
    ]
    if not above:
        return ()
    largest = max(lines[index].size for index in above)
    titles = [index for index in above if lines[index].size >= 0.95 * largest and largest > _LARGER * usual]
    nearest = max(titles or above, key=lambda index: lines[index].box[3])
    return _whole(nearest, above, lines)


def _whole(nearest: int, among: list[int], lines: list[Line]) -> tuple[int, ...]:
    """The title with the lines right above that are of its size."""
    found = [nearest]
    while found[0] - 1 in among and len(found) < _MOST_LINES:
        before, first = lines[found[0] - 1], lines[found[0]]
        if abs(before.size - first.size) > 0.5 or not 0 <= first.box[1] - before.box[1] < 2 * first.size:
            break
        found.insert(0, found[0] - 1)
    return tuple(found)


def _stands_out(line: Line, usual: float) -> bool:
    text = line.text.strip()
    return (
        (line.size > _LARGER * usual or line.bold) and any(map(str.isalpha, text)) and len(text) <= _LONGEST
    )


def _usual_size(lines: list[Line]) -> float:
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0.0
