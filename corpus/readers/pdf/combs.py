"""Text in combed form fields, one character to a box, such as account numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from corpus.blocks import Box
from corpus.readers.pdf.tables.rules import Rule

_RUN = re.compile(r"(?<!\S)[^\W_](?: {1,3}[^\W_]){5,}(?!\S)")
"""Six boxes hold the shortest date; fewer may be the cells of a row."""

_MAX_STEP = 2.5  # Character heights from one character to the next; cells of a table are wider.
_MAX_RULE = 3.5
"""Character heights: a rule between two boxes is as high as they are, a table's rule as high as all its rows."""

_MAX_STEP_CHANGE = 0.25
"""Share of the usual step by which a step may differ, because characters vary in width."""


def spaces_of_combs(chars: Sequence[str], boxes: Mapping[int, Box], upright: Sequence[Rule]) -> list[int]:
    """Indexes of the spaces in `chars` between characters in boxes of one comb. `boxes` maps indexes to boxes of
    ink; `upright` holds the page's upright rules."""
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
        if not all(
            _is_rule_between(boxes[index], boxes[after], upright, height) for index, after in pairwise(signs)
        ):
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
        _middle(box) < rule.at < _middle(after)
        and rule.start < level < rule.end
        and rule.length < _MAX_RULE * height
        for rule in upright
    )
