"""Words that occur in only one block of an index: a search for such a word should return that block."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.lines import Line
from bench.measures import Result, first, hit_at
from bench.methods import Method
from corpus.documents.block import Block

DRAWN, MIN_WORDS = 60, 20
"""Number of words used per language, and minimum number of words for a meaningful result."""
CUTS = (1, 3, 10)
_WORD = re.compile(r"[^\W\d_]{6,}")


@dataclass(frozen=True)
class RareWord:
    word: str
    language: str
    doc: str
    block: Block


async def rare_word_lines(name: str, blocks: Sequence[tuple[str, Block]], methods: Mapping[str, Method]) -> list[Line]:
    asked = rare_words(blocks)
    lines = []
    for language in dict.fromkeys(one.language for one in asked):
        mine = [one for one in asked if one.language == language]
        ranks = {method: await _ranks(mine, finder) for method, finder in methods.items()}
        for cut in CUTS:
            values = {method: hit_at(found, cut) for method, found in ranks.items()}
            lines.append(Line("Rare words", f"{name}, {language}", len(mine), f"block@{cut}", values))
    return lines


def rare_words(blocks: Sequence[tuple[str, Block]]) -> list[RareWord]:
    """Return the words, which are the same in every run. No other word starts in the same way as one of these words, so
    that stems do not match other blocks."""
    counts, where = Counter[str](), dict[str, RareWord]()
    for doc, block in blocks:
        if block.block_type == "text":
            for word in set(_WORD.findall(block.content)):
                counts[word.lower()] += 1
                where[word.lower()] = RareWord(word, block.language or "", doc, block)
    begun = Counter(map(_beginning, counts))
    by_language: dict[str, list[RareWord]] = defaultdict(list)
    for word, count in sorted(counts.items()):
        if count == 1 == begun[_beginning(word)]:
            by_language[where[word].language].append(where[word])
    draw = random.Random(1)
    return [
        one
        for _, words in sorted(by_language.items())
        if len(words) >= MIN_WORDS
        for one in draw.sample(words, min(DRAWN, len(words)))
    ]


def _beginning(word: str) -> str:
    return word[: max(5, len(word) - 3)]


def _answering(asked: RareWord, passages: Mapping[str, Result]) -> set[str]:
    """Return the key of the block or, if the method has other passages, the keys of the passages on the same page that
    contain the word."""
    if asked.block.block_id in passages:
        return {asked.block.block_id}
    place = (asked.doc, asked.block.page_number or 0)
    return {key for key, one in passages.items() if (one.doc, one.page) == place and asked.word in one.text}


async def _ranks(asked: Sequence[RareWord], method: Method) -> list[int | None]:
    passages = {one.key: one for one in method.passages}
    ranks = []
    for one in asked:
        right = _answering(one, passages)
        ranks.append(first([result.key in right for result in await method.find(one.word)]))
    return ranks
