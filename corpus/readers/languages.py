"""Detect the language of texts, among the languages that are common in documents."""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
import zlib
from array import array
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from math import log1p
from pathlib import Path
from typing import IO, Any

from corpus.readers.protocol import PageDone, ReadBlock

MODEL = Path(__file__).with_name("language_model.bin")
PARTS = {"prior": "d", "ngram_of": "i", "row_of": "I", "block_of": "I", "states": "I", "weights": "H"}
"""The arrays in the model file, in order, each with its number type; they are little-endian and compressed
individually.

`row_of`, `block_of` and `states` form an automaton. Each state has a row of 16 blocks, and each block has 16 next
states. Equal blocks are stored once, which takes 7 MB instead of 39.
"""
UNIT = 1 / 512
"""Unit of the weights, which are negative log probabilities. In this unit the weights of py3langid are integers."""
MAX_WEIGHT = 7672
NO_NGRAM = -1

_ADDENDS = 0xFFFF // MAX_WEIGHT
"""Number of 16-bit weights that can be added without a carry into the next one."""


class LanguageModel:
    """Model that identifies the language of a text."""

    def __init__(self, languages: Sequence[str], arrays: Mapping[str, array[Any]]) -> None:
        self._languages = languages
        self._prior = arrays["prior"]
        self._ngram_of = arrays["ngram_of"]
        self._row_of, self._block_of, self._states = arrays["row_of"], arrays["block_of"], arrays["states"]
        self._weights = _by_ngram(arrays["weights"], len(languages))
        self._numbers = struct.Struct(f"<{len(languages)}H")

    def language_of(self, text: str) -> str | None:
        """Return the most probable language, or None if the text contains no n-gram of the model."""
        by_count: dict[int, list[int]] = {}
        for ngram, count in Counter(self._ngrams(_encode(text))).items():
            by_count.setdefault(count, []).append(ngram)
        if not by_count:
            return None
        scores = list(self._prior)
        for count, ngrams in by_count.items():
            factor = UNIT * log1p(count)
            scores = [score - factor * sums for score, sums in zip(scores, self._sums(ngrams), strict=True)]
        return self._languages[scores.index(max(scores))]

    def surprise(self, text: str) -> float | None:
        """Return the mean negative log probability of the text's n-grams in its best language, or None if it has no
        n-gram of the model.

        The result is about 9 for Latin script, about 7 for Cyrillic, Greek and Chinese, and at least 11 for random
        characters.
        """
        ngrams = list(self._ngrams(_encode(text)))
        return UNIT * min(self._sums(ngrams)) / len(ngrams) if ngrams else None

    def _ngrams(self, data: bytes) -> Iterator[int]:
        row_of, block_of, states, ngram_of = self._row_of, self._block_of, self._states, self._ngram_of
        state = 0
        for byte in data:
            state = states[block_of[row_of[state] + (byte >> 4)] + (byte & 15)]
            if (ngram := ngram_of[state]) != NO_NGRAM:
                yield ngram

    def _sums(self, ngrams: list[int]) -> Iterator[int]:
        """Return the sum of the weights for each language.

        The weights of an n-gram are added as one large integer, which is several times faster than adding them
        individually.
        """
        size, weights = self._numbers.size, self._weights
        rows = [int.from_bytes(weights[at * size : (at + 1) * size], "little") for at in ngrams]
        groups = (sum(rows[at : at + _ADDENDS]) for at in range(0, len(rows), _ADDENDS))
        return map(sum, zip(*(self._numbers.unpack(group.to_bytes(size, "little")) for group in groups), strict=True))


def load(path: Path = MODEL) -> LanguageModel:
    """Load the model, which takes about 50 ms and 15 MB of memory."""
    return LanguageModel(*read(path))


def read(path: Path = MODEL) -> tuple[list[str], dict[str, array[Any]]]:
    """Return the languages and arrays in the model file."""
    with path.open("rb") as file:
        head = json.loads(file.readline())
        return head["languages"], {name: _part(file, kind, head["sizes"][name]) for name, kind in PARTS.items()}


def _part(file: IO[bytes], kind: str, size: int) -> array[Any]:
    numbers: array[Any] = array(kind)
    numbers.frombytes(zlib.decompress(file.read(size)))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _by_ngram(weights: array[int], languages: int) -> bytes:
    """Reorder weights from language order, which compresses better, to n-gram order."""
    count = len(weights) // languages
    by_ngram = array("H", bytes(weights.itemsize * len(weights)))
    for number in range(languages):
        by_ngram[number::languages] = weights[number * count : (number + 1) * count]
    if sys.byteorder == "big":
        by_ngram.byteswap()
    return by_ngram.tobytes()


def _encode(text: str) -> bytes:
    """Encode a text as py3langid does."""
    return unicodedata.normalize("NFC", text.lower() if text.isupper() else text).encode("utf-8", "surrogatepass")


_MIN_LETTERS = 40
"""Minimum number of letters for detection. Shorter texts are often misjudged, because py3langid returns a language for
any text."""
_SAMPLE_CHARACTERS = 2000
"""Number of characters sampled. More would take time without changing any result."""
_LONG_ENOUGH = 200
"""Minimum length, in characters, of a block whose language is detected individually."""
_SHARE = 0.1
"""Fraction of the text below which a language counts as a detection error."""
_SIGN_OF_LIFE = 1_000
"""Number of blocks between two progress steps."""


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code, or None if the text has too few letters."""
    sample = text[:_SAMPLE_CHARACTERS]
    letters = sum(1 for letter in sample if letter.isalpha())
    if 2 * letters < len("".join(sample.split())):
        return None  # the text is mostly digits
    # One ideograph carries as much information as several characters of an alphabet.
    wide = sum(1 for letter in sample if letter >= "\u3040")
    if letters + 3 * wide < _MIN_LETTERS:
        return None
    return _model().language_of(sample)


def surprise(text: str) -> float | None:
    """Return how improbable a text's characters are in any language; see `LanguageModel.surprise`."""
    return _model().surprise(text[:_SAMPLE_CHARACTERS])


class Languages:
    """The languages of a document's blocks. Call `see` with every block, then `settled` for each.

    A language that occurs only in a small part of the document counts as a detection error, caused by a table or a list
    of names.
    """

    def __init__(self) -> None:
        self._letters: Counter[str] = Counter()
        self._of_long: dict[str, str | None] = {}
        """Languages of long blocks, stored between `see` and `settled`."""
        self._start = ""

    def see(self, block: ReadBlock) -> None:
        """Record the language of a block."""
        if len(self._start) < _SAMPLE_CHARACTERS:
            self._start += block.content + "\n"
        if len(block.content) > _LONG_ENOUGH:
            language = self._of_long[block.content] = language_of(block.content)
            if language:
                self._letters[language] += len(block.content)

    @cached_property
    def main(self) -> str | None:
        """The language of most of the text."""
        return self._letters.most_common(1)[0][0] if self._letters else language_of(self._start)

    def settled(self, block: ReadBlock) -> ReadBlock:
        """Return the block with its language."""
        language = None
        if len(self._common) > 1 and len(block.content) > _LONG_ENOUGH:
            language = self._of_long.pop(block.content, None) or language_of(block.content)
        return replace(block, language=language if language in self._common else self.main)

    @cached_property
    def _common(self) -> set[str]:
        return {language for language, count in self._letters.items() if count >= _SHARE * self._letters.total()}


def with_languages(
    blocks: Iterable[ReadBlock],
) -> Generator[PageDone, None, tuple[list[ReadBlock], str | None]]:
    """Yield progress steps. Return the blocks with their languages, and the document's main language."""
    languages, seen, done = Languages(), list[ReadBlock](), list[ReadBlock]()
    for block in blocks:
        languages.see(block)
        seen.append(block)
        if len(seen) % _SIGN_OF_LIFE == 0:
            yield PageDone(0)
    for block in seen:
        done.append(languages.settled(block))
        if len(done) % _SIGN_OF_LIFE == 0:
            yield PageDone(0)
    return done, languages.main


@cache
def _model() -> LanguageModel:
    return load()
