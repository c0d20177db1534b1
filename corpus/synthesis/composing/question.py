"""What a question asks for: its words as the index stems them, and the shape that suits an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpus.index.local import function_words
from corpus.index.local.analysis import terms
from corpus.synthesis.composing.words import ASKING, COMPARING, LISTING, OF_NUMBERS, language_of

Shape = Literal["prose", "list", "comparison"]
_MOST_WORDS = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """`words` are those that name what is asked about, each once; `language` is `en`, `de` or unknown."""

    words: tuple[str, ...]
    language: str | None
    shape: Shape
    wants_number: bool

    def stems(self, language: str | None) -> tuple[str, ...]:
        """A stem for each of the words, as a text of this language has them."""
        return tuple((terms(word, language) or [word])[0] for word in self.words)


def asked(query: str) -> Asked:
    words = list(dict.fromkeys(terms(query, None)))[:_MOST_WORDS]
    small = function_words.among(words)
    content = [word for word in words if word not in small and word not in ASKING]
    return Asked(
        words=tuple(content or words),
        language=language_of(query.casefold().replace("?", " ").split()),
        shape=_shape(query),
        wants_number=bool(OF_NUMBERS.search(query)),
    )


def _shape(query: str) -> Shape:
    if COMPARING.search(query):
        return "comparison"
    return "list" if LISTING.search(query) else "prose"
