"""Text that is struck out: by rules that a program drew through it, as Word, LaTeX and browsers do when they print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from corpus.blocks import Box
from corpus.readers.pdf.tables.rules import Rule

_MAX_RULES = 400
"""Of a page; a drawing or a dense table has more, and no struck text is looked for there."""

_CROSSING_HEIGHT = (0.2, 0.78)
"""Where a rule crosses, of the height of the highest character from the line up: programs draw it 0.22 to 0.35 of the
size of the font above the baseline; small letters without ascenders are 0.45 high, capitals 0.7."""

_MAX_BEYOND = 0.7
"""Of the height of the characters, by which the rule may be longer: of a line to write on, or of a table, more is."""

_MIN_CROSSED_SHARE = 0.8
"""Of the letters and digits over its length."""

_MIN_CROSSED_LETTERS = 2


def struck_by_rules(boxes: Mapping[int, Box], chars: Sequence[str], rules: Sequence[Rule]) -> list[int]:
    """The indexes of the characters that level rules strike out. `boxes` are those of the ink of characters by their
    indexes in `letters`, on the shown page."""
    candidates = [rule for rule in rules if not rule.edge]
    if not boxes or not candidates or len(candidates) > _MAX_RULES:
        return []
    indexes = np.array(list(boxes))
    left, top, right, bottom = np.array(list(boxes.values())).T
    middle = (left + right) / 2
    are_letters = np.array([chars[index].isalnum() for index in boxes])
    struck = set[int]()
    for rule in candidates:
        over = (middle > rule.start) & (middle < rule.end)
        crossed = over & are_letters & (top < rule.at) & (rule.at < bottom)
        if crossed.sum() < _MIN_CROSSED_LETTERS:
            continue
        baseline = float(np.median(bottom[crossed]))
        height = baseline - float(top[crossed].min())
        if not _CROSSING_HEIGHT[0] * height < baseline - rule.at < _CROSSING_HEIGHT[1] * height:
            continue
        of_line = over & (top < baseline + height / 4) & (bottom > baseline - height)
        beyond = max(float(left[of_line].min()) - rule.start, rule.end - float(right[of_line].max()))
        if (
            beyond < _MAX_BEYOND * height
            and crossed.sum() >= _MIN_CROSSED_SHARE * (of_line & are_letters).sum()
        ):
            struck.update(indexes[of_line].tolist())
    return sorted(struck)
