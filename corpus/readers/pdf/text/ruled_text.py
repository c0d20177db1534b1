"""Level rules that strike out characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from corpus.documents.block import Box
from corpus.readers.pdf.rules import Rule

_MAX_RULES = 400  # Rules of a page; drawings and dense tables have more, and nothing is looked for there.
_CROSSING_HEIGHT = (0.2, 0.78)
"""Where a rule crosses, as shares of the height of the tallest character. Programs draw it 0.22 to 0.35 font sizes
above the baseline; lower case is 0.45 high, capitals 0.7."""

_MAX_BEYOND = 0.7
"""Character heights by which the rule may be longer; a table's rule or a line to write on is longer still."""

_MIN_CROSSED_SHARE = 0.8  # Share of the letters and digits along the rule.
_MIN_CROSSED_LETTERS = 2  # A single crossed letter is a symbol such as a barred d.


def struck_characters(boxes: Mapping[int, Box], chars: Sequence[str], rules: Sequence[Rule]) -> list[int]:
    """Indexes of the characters that level rules strike out. `boxes` maps indexes in `chars` to boxes of ink on the
    shown page."""
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
        if beyond < _MAX_BEYOND * height and crossed.sum() >= _MIN_CROSSED_SHARE * (of_line & are_letters).sum():
            struck.update(indexes[of_line].tolist())
    return sorted(struck)
