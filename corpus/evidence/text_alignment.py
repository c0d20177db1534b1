"""Text alignment: find a text in the blocks it was taken from, word by word, whatever is between the words.

The time is linear in the length of the blocks, whatever they and the text hold.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product

from corpus.documents.block import Block
from corpus.evidence.boxes import text_begin, text_end

_WORD = re.compile(r"[^\W_]+")
_MAX_TEXT = 4_000
"""Characters of the text that is looked for; evidence is a few sentences."""
_MAX_WORDS = 300
"""Words of the text that is looked for."""
_MIN_WORDS = 3
"""A text of so many words may end within its last word, as a preview does."""
_MAX_OUTER_BLOCKS = 3
"""Blocks at the end of a page and at the start of the next that a text may span; notes are there too."""

TextMatch = tuple[Block, int, int]
"""A block and the offsets of the text in its content; (0, 0) for a figure, which is shown whole."""


@dataclass(frozen=True, slots=True)
class _Words:
    """Casefolded words and their offsets."""

    words: Sequence[str]
    spans: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, text: str) -> _Words:
        matches = list(_WORD.finditer(text))
        return cls([match[0].casefold() for match in matches], [match.span() for match in matches])

    def find(self, phrase: Sequence[str]) -> tuple[int, int] | None:
        """The first and the last of the words that are these."""
        text = f" {' '.join(self.words)} "
        at = text.find(f" {' '.join(phrase)} ")
        if at < 0 and len(phrase) >= _MIN_WORDS:
            at = text.find(f" {' '.join(phrase)}")
        if at < 0:
            return None
        begins = list(accumulate((len(word) + 1 for word in self.words), initial=0))
        first = bisect_right(begins, at) - 1
        return first, first + len(phrase) - 1


def find_text(blocks: Sequence[Block], text: str) -> TextMatch | None:
    """The first text block that contains the text, else the first figure whose caption or words do."""
    phrase = _words_of(text)
    for block in blocks if phrase else ():
        if block.block_type == "text":
            words = _Words.of(block.content)
            if place := words.find(phrase):
                return block, words.spans[place[0]][0], words.spans[place[1]][1]
    for block in blocks if phrase else ():
        if block.block_type == "image":
            words_of_figure = f"{block.image_caption or ''}\n\n{block.content}"
            if _Words.of(words_of_figure).find(phrase):
                return block, 0, 0
    return None


def find_across_pages(before: Sequence[Block], after: Sequence[Block], text: str) -> tuple[TextMatch, TextMatch] | None:
    """The end of a block on one page and the start of a block on the next which together are this text, also where the
    page break splits a word."""
    phrase = _words_of(text)
    if len(phrase) < 2:
        return None
    for end_block, start_block in product(
        reversed(_texts(before)[-_MAX_OUTER_BLOCKS:]), _texts(after)[:_MAX_OUTER_BLOCKS]
    ):
        end, start = text_end(end_block.content), text_begin(start_block.content)
        before_end, behind_start = end_block.content[:end], start_block.content[start:]
        first, second = _Words.of(before_end), _Words.of(behind_start)
        for words, last, begin in _join(first, second, before_end.endswith("-")):
            place = words.find(phrase)
            if place and place[0] <= last and place[1] >= begin:
                rest = start + second.spans[place[1] - begin][1]
                return (end_block, first.spans[place[0]][0], end), (start_block, start, rest)
    return None


def _join(first: _Words, second: _Words, hyphen: bool) -> Iterator[tuple[_Words, int, int]]:
    """The words of two pages in sequence, with the index of the last word of the first page and of the first word of
    the second. For a hyphenated word, also with its two parts joined."""
    if not first.words or not second.words:
        return
    last = len(first.words) - 1
    yield _Words([*first.words, *second.words], ()), last, last + 1
    if hyphen:
        whole = first.words[-1] + second.words[0]
        yield _Words([*first.words[:-1], whole, *second.words[1:]], ()), last, last


def _texts(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block.block_type == "text"]


def _words_of(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text[:_MAX_TEXT])[:_MAX_WORDS]]
