"""What a question asks for: its words as the index stems them, and the shape that suits an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from corpus.index.local import analysis
from corpus.index.local.analysis import terms
from corpus.synthesis.composing.words import (
    ASKING,
    COMPARING,
    LISTING,
    OF_DOCUMENT,
    OF_NUMBERS,
    OF_STEPS,
    language_of,
)

Shape = Literal["prose", "list", "comparison"]
_MOST_WORDS = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """`words` are those that name what is asked about, each once; `language` is `en`, `de` or unknown;
    `letters` is the whole question without what is between them; `of_document` tells that it asks about a document
    itself."""

    words: tuple[str, ...]
    language: str | None
    shape: Shape
    wants_number: bool
    wants_steps: bool
    letters: str = ""
    of_document: bool = False

    def stems(self, language: str | None) -> tuple[str, ...]:
        """A stem for each of the words, as a text of this language has them."""
        return tuple((terms(word, language) or [word])[0] for word in self.words)


@lru_cache(maxsize=32)  # one answer asks for it again and again
def asked(query: str, before: str = "") -> Asked:
    """`before` is the question that this one leans on: its words count too, and its language where this one tells
    none."""
    words, content = _words(query)
    _, leant_on = _words(before)
    shape = _shape(query if content or not before else before)
    wants_number = bool(OF_NUMBERS.search(query))
    return Asked(
        words=tuple(dict.fromkeys([*content, *leant_on])) or words,
        language=_language(query) or _language(before),
        shape=shape,
        wants_number=wants_number,
        wants_steps=not wants_number and (shape == "list" or bool(OF_STEPS.search(query))),
        letters=letters_of(query),
        of_document=bool(OF_DOCUMENT.search(query)),
    )


def letters_of(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text).casefold()


def _words(query: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All of them, and those that name what is asked about."""
    words = tuple(dict.fromkeys(terms(query, None)))[:_MOST_WORDS]
    small = analysis.function_words(words)
    return words, tuple(word for word in words if word not in small and word not in ASKING)


def _language(query: str) -> str | None:
    return language_of(query.casefold().replace("?", " ").split())


def _shape(query: str) -> Shape:
    if COMPARING.search(query):
        return "comparison"
    return "list" if LISTING.search(query) else "prose"
