"""Detect the language of texts, among those that documents are commonly written in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import replace
from functools import cache, cached_property

from corpus.readers.language_model import LanguageModel, load
from corpus.readers.protocol import ReadBlock
from corpus.readers.steps import PageDone

_FEWEST_LETTERS = 40
"""Shorter texts are often misjudged; py3langid itself names a language for any text."""
_SAMPLE = 2000
"""Characters looked at: more changes no answer and takes time."""
_LONG_ENOUGH = 200
"""Characters from which a block gets its own language."""
_SHARE = 0.1
"""Share of the text below which a language is taken for a mistake."""
_SIGN_OF_LIFE = 1_000
"""Blocks between two progress steps."""


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code, or None where there are too few letters."""
    sample = text[:_SAMPLE]
    letters = sum(1 for letter in sample if letter.isalpha())
    if 2 * letters < len("".join(sample.split())):
        return None  # mostly digits
    # One ideograph carries as much as several letters.
    wide = sum(1 for letter in sample if letter >= "\u3040")
    if letters + 3 * wide < _FEWEST_LETTERS:
        return None
    return _model().language_of(sample)


def surprise(text: str) -> float | None:
    """Return how improbable a text's characters are in any language, see `LanguageModel.surprise`."""
    return _model().surprise(text[:_SAMPLE])


class Languages:
    """The languages of a document's blocks: `see` all blocks, then `settled` each.

    A language of only a small part is taken for a mistake over a table or a list of names.
    """

    def __init__(self) -> None:
        self._letters: Counter[str] = Counter()
        self._of_long: dict[str, str | None] = {}
        """Languages of long blocks between `see` and `settled`."""
        self._start = ""

    def see(self, block: ReadBlock) -> None:
        """Take note of a block."""
        if len(self._start) < _SAMPLE:
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
        return {
            language for language, count in self._letters.items() if count >= _SHARE * self._letters.total()
        }


def settled(blocks: Iterable[ReadBlock]) -> Generator[PageDone, None, tuple[list[ReadBlock], str | None]]:
    """Yield progress; return the blocks with their languages, and the main language."""
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
