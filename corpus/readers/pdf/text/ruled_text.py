"""Rules drawn at characters: strike-outs, and the boxes of comb fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

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


_RUN = re.compile(r"(?<!\S)[^\W_](?: {1,3}[^\W_]){5,}(?!\S)")
"""Six boxes hold the shortest date; fewer may be the cells of a row."""

_MAX_STEP = 2.5  # Character heights from one character to the next; cells of a table are wider.
_MAX_RULE = 3.5
"""Character heights: a rule between two boxes is as high as they are, a table's rule as high as all its rows."""

_MAX_STEP_CHANGE = 0.25
"""Share of the usual step by which a step may differ, because characters vary in width."""


def spaces_of_combs(chars: Sequence[str], boxes: Mapping[int, Box], upright: Sequence[Rule]) -> list[int]:
    """Indexes of the spaces in `chars` between characters in boxes of one comb, as in a form's account number.
    `boxes` maps indexes to boxes of ink; `upright` holds the page's upright rules."""
    if not upright:
        return []
    spaces = list[int]()
    for match in _RUN.finditer("".join(chars)):
        signs = [index for index in range(*match.span()) if index in boxes]
        if len(signs) < 2:
            continue
        height = max(boxes[index][3] - boxes[index][1] for index in signs)
        steps = [_middle(boxes[after]) - _middle(boxes[index]) for index, after in pairwise(signs)]
        usual = sorted(steps)[len(steps) // 2]
        if not 0 < usual < _MAX_STEP * height:
            continue
        if not all(_is_rule_between(boxes[index], boxes[after], upright, height) for index, after in pairwise(signs)):
            continue
        for (index, after), step in zip(pairwise(signs), steps, strict=True):
            if abs(step - usual) <= _MAX_STEP_CHANGE * usual:
                spaces += [place for place in range(index + 1, after) if chars[place] == " "]
    return spaces


def _middle(box: Box) -> float:
    return (box[0] + box[2]) / 2


def _is_rule_between(box: Box, after: Box, upright: Sequence[Rule], height: float) -> bool:
    level = (box[1] + box[3]) / 2
    return any(
        _middle(box) < rule.at < _middle(after) and rule.start < level < rule.end and rule.length < _MAX_RULE * height
        for rule in upright
    )
