"""Level rules of one width above each other, as tables without upright rules have them."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.blocks import Box
from corpus.readers.pdf.tables.rules import Rule
from corpus.readers.pdf.tables.words import Word

_SIDE = 6.0
_BREAK = 16.0
"""Points; rules on one line with no larger gap between them are one."""

_SHORTEST = 60.0
_PROSE = 0.6


@dataclass(frozen=True, slots=True)
class Stack:
    """From the first to the last of the rules."""

    rules: tuple[Rule, ...]

    @property
    def box(self) -> Box:
        return (
            min(rule.start for rule in self.rules),
            self.rules[0].at,
            max(rule.end for rule in self.rules),
            self.rules[-1].at,
        )


def stacks_of(level: list[Rule], prose: list[Box], captions: list[Box]) -> list[Stack]:
    """Groups of at least two rules with the same ends, with no caption or running text between neighbours."""
    stacks: list[list[Rule]] = []
    for rule in whole_lines(level):
        if rule.length < _SHORTEST:
            continue
        for stack in stacks:
            last = stack[-1]
            same = abs(last.start - rule.start) <= _SIDE and abs(last.end - rule.end) <= _SIDE
            if same and not _parted(last, rule, prose, captions):
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [Stack(tuple(stack)) for stack in stacks if len(stack) >= 2 and stack[-1].at - stack[0].at > 12]


def whole_lines(level: list[Rule]) -> list[Rule]:
    """Rules that stand on one line with small gaps, as one each, from top to bottom."""
    lines: list[Rule] = []
    for rule in sorted(level, key=lambda rule: (round(rule.at), rule.start)):
        last = lines[-1] if lines else None
        if last and abs(last.at - rule.at) <= 1.5 and -1 <= rule.start - last.end <= _BREAK:
            lines[-1] = Rule(last.at, last.start, max(last.end, rule.end), last.edge and rule.edge)
        else:
            lines.append(rule)
    return sorted(lines, key=lambda rule: rule.at)


def _parted(above: Rule, below: Rule, prose: list[Box], captions: list[Box]) -> bool:
    """Whether a caption stands between, or running text of most of the width, three lines or more."""
    lines = [box for box in prose if _stands_between(box, above, below)]
    return len(lines) >= 3 or any(_stands_between(box, above, below) for box in captions)


def _stands_between(box: Box, above: Rule, below: Rule) -> bool:
    across = min(box[2], above.end) - max(box[0], above.start)
    return above.at < (box[1] + box[3]) / 2 < below.at and across > _PROSE * min(
        above.length, box[2] - box[0]
    )


def inside(words: list[Word], box: Box) -> list[Word]:
    """The words whose middle is in the box."""
    return [
        word
        for word in words
        if box[0] - 1 <= (word.box[0] + word.box[2]) / 2 <= box[2] + 1
        and box[1] - 1 <= word.middle <= box[3] + 1
    ]
