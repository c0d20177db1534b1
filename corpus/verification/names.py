"""The names in a claim: capitalised words, acronyms, identifiers.

German capitalises every noun, so there a single word is a name only with a capital or digit inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corpus.verification.tokens import END, Tokens

_ENGLISH = (
    "i the this that these those it its he she we you they a an in on at of for and or but if as by to from with is "
    "are was were no not yes my your our their his her also however there here what when where who why how which "
    "some many most all both each one two three mr mrs ms dr prof sir then thus while"
)
_GERMAN = (
    "der die das den dem des ein eine einen einem einer eines kein keine sein seine ihr ihre unser unsere dieser "
    "diese dieses diesen diesem jeder jede jedes im am zum zur vom beim in an auf aus bei mit nach von zu für und "
    "oder aber wenn als wie er sie es wir ich du ist sind war waren nicht auch herr frau hier dort dann so doch alle"
)
_NOT_NAMES = frozenset(f"{_ENGLISH} {_GERMAN}".split())
_HEADING = {"de": 0.9}
"""The share of capitalised words from which a text is a heading, in which capitals mean nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """A run of capitalised words: the indexes of its first and last token."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))


def rows(claim: Tokens, covered: frozenset[int]) -> list[Row]:
    """Runs of capitalised words in order, without words that start at a `taken` offset."""
    result: list[Row] = []
    for at, word in enumerate(claim.written):
        if claim.starts[at] in covered or not (may_name(word) or _is_initial(claim, at)):
            continue
        if result and result[-1].last == at - 1:
            result[-1] = Row(result[-1].first, at)
        else:
            result.append(Row(at, at))
    return result


def _is_initial(claim: Tokens, at: int) -> bool:
    """Whether the token is a single letter between two names."""
    around = claim.written[at - 1 : at + 2]
    return (
        len(around) == 3
        and len(around[1]) == 1
        and around[1].isupper()
        and may_name(around[0])
        and may_name(around[2])
    )


def may_name(word: str) -> bool:
    """Whether a word is capitalised and no function word that begins a sentence. A single letter is an initial."""
    return len(word) > 1 and word[0].isupper() and word.lower() not in _NOT_NAMES


def is_small_word(word: str) -> bool:
    """Whether the word is a function word that is no name even when capitalised."""
    return word.lower() in _NOT_NAMES


def is_code(word: str) -> bool:
    """Whether the word is an acronym or identifier: it has a capital or digit beyond the first character."""
    return any(letter.isupper() or letter.isdigit() for letter in word[1:])


def begins_sentence(claim: Tokens, at: int) -> bool:
    """Whether the token is the first of a sentence."""
    return claim.folded[at - 1] == END


def is_sure(claim: Tokens, at: int, language: str | None, capitals: float) -> bool:
    """Whether the word is a name by its spelling alone. `capitals` is `capitalised(claim)`."""
    if is_code(claim.written[at]):
        return not _is_heading(capitals, "en") or any(letter.isdigit() for letter in claim.written[at])
    if _is_heading(capitals, language) or begins_sentence(claim, at):
        return False
    return language != "de"


def capitalised(claim: Tokens) -> float:
    """The share of longer words that are capitalised; 0 with too few of them to recognise a heading."""
    long = [word for word in claim.written if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].isupper() for word in long) / len(long) if len(long) >= 4 else 0.0


def _is_heading(capitals: float, language: str | None) -> bool:
    return capitals > _HEADING.get(language or "", 0.7)
