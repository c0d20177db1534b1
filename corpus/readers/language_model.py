"""The language model of py3langid for the languages of documents, in a form that loads in a tenth of the time.

Naive Bayes over byte n-grams: an automaton finds the n-grams of a text, and each of them has a weight in each language.
`scripts/make_language_model.py` writes the file from the model in py3langid, which takes half a second to unpack and
needs numpy. A test compares what the two say.
"""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log1p
from pathlib import Path
from typing import IO, Any

MODEL = Path(__file__).with_name("language_model.bin")
PARTS = {"prior": "d", "ngram_of": "i", "row_of": "I", "block_of": "I", "states": "I", "weights": "H"}
"""The arrays of the file in their order, each with the type of its numbers; little-endian, compressed one by one.

The automaton is in `row_of`, `block_of` and `states`: a state has a row of 16 blocks, a block has 16 next states, and
equal blocks are one. So it takes 7 MB instead of 39.
"""
UNIT = 1 / 512
"""A weight is the negative logarithm of a probability in this unit, in which the weights of py3langid are whole."""
MAX_WEIGHT = 7672
NO_NGRAM = -1

_ADDENDS = 0xFFFF // MAX_WEIGHT
"""So many weights of 16 bits add up without a carry."""


class LanguageModel:
    """Says which of its languages a text is in."""

    def __init__(self, languages: Sequence[str], arrays: Mapping[str, array[Any]]) -> None:
        self._languages = languages
        self._prior = arrays["prior"]
        self._ngram_of = arrays["ngram_of"]
        self._row_of, self._block_of, self._states = arrays["row_of"], arrays["block_of"], arrays["states"]
        self._weights = _by_ngram(arrays["weights"], len(languages))
        self._numbers = struct.Struct(f"<{len(languages)}H")

    def language_of(self, text: str) -> str | None:
        """The most probable language, or None when the text holds no n-gram of the model."""
        by_count: dict[int, list[int]] = {}
        for ngram, count in Counter(self._ngrams(_encoded(text))).items():
            by_count.setdefault(count, []).append(ngram)
        if not by_count:
            return None
        scores = list(self._prior)
        for count, ngrams in by_count.items():
            factor = UNIT * log1p(count)
            scores = [score - factor * sums for score, sums in zip(scores, self._sums(ngrams), strict=True)]
        return self._languages[scores.index(max(scores))]

    def surprise(self, text: str) -> float | None:
        """Return the mean negative logarithm of the probability of an n-gram of `text` in the language that fits it
        best: about 9 for a text in Latin letters, 7 in Cyrillic, Greek or Chinese, 11 and more for letters without a
        sense. None when the text holds no n-gram of the model.
        """
        ngrams = list(self._ngrams(_encoded(text)))
        return UNIT * min(self._sums(ngrams)) / len(ngrams) if ngrams else None

    def _ngrams(self, data: bytes) -> Iterator[int]:
        row_of, block_of, states, ngram_of, state = (
            self._row_of,
            self._block_of,
            self._states,
            self._ngram_of,
            0,
        )
        for byte in data:
            state = states[block_of[row_of[state] + (byte >> 4)] + (byte & 15)]
            if (ngram := ngram_of[state]) != NO_NGRAM:
                yield ngram

    def _sums(self, ngrams: list[int]) -> Iterator[int]:
        """The sum of the weights for each language.

        The weights of an n-gram are added as one large integer, several times as fast as one by one.
        """
        size, weights = self._numbers.size, self._weights
        rows = [int.from_bytes(weights[at * size : (at + 1) * size], "little") for at in ngrams]
        groups = (sum(rows[at : at + _ADDENDS]) for at in range(0, len(rows), _ADDENDS))
        return map(
            sum, zip(*(self._numbers.unpack(group.to_bytes(size, "little")) for group in groups), strict=True)
        )


def load(path: Path = MODEL) -> LanguageModel:
    """Takes about 50 ms and 15 MB of memory."""
    return LanguageModel(*read(path))


def read(path: Path = MODEL) -> tuple[list[str], dict[str, array[Any]]]:
    """The languages and the arrays of the file."""
    with path.open("rb") as file:
        head = json.loads(file.readline())
        return head["languages"], {
            name: _part(file, kind, head["sizes"][name]) for name, kind in PARTS.items()
        }


def _part(file: IO[bytes], kind: str, size: int) -> array[Any]:
    numbers: array[Any] = array(kind)
    numbers.frombytes(zlib.decompress(file.read(size)))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _by_ngram(weights: array[int], languages: int) -> bytes:
    """The file has the weights by language, which compresses better; here those of an n-gram lie together."""
    count = len(weights) // languages
    by_ngram = array("H", bytes(weights.itemsize * len(weights)))
    for number in range(languages):
        by_ngram[number::languages] = weights[number * count : (number + 1) * count]
    if sys.byteorder == "big":
        by_ngram.byteswap()
    return by_ngram.tobytes()


def _encoded(text: str) -> bytes:
    """As py3langid does before it looks for n-grams."""
    return unicodedata.normalize("NFC", text.lower() if text.isupper() else text).encode(
        "utf-8", "surrogatepass"
    )
