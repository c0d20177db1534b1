"""What a question asks for: its words as the index stems them, the shape that suits an answer, the kind of answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from corpus.synthesis.extractive.answer_kinds import Wanted, wanted
from corpus.synthesis.extractive.wording import (
    AGGREGATES,
    ASKING,
    COMPARING,
    EXPLAINING,
    LISTING,
    MEASURES,
    NEGATED,
    OF_FIGURES,
    OF_STEPS,
    OVERVIEW,
    WORKING,
    Aggregate,
    language_of,
)
from corpus.text import analysis
from corpus.text.analysis import terms

Shape = Literal["fact", "list", "steps", "explanation", "overview", "comparison"]
_MAX_WORDS = 64
_MAX_TOPIC_WORDS = 3
_LABEL = re.compile(
    r"\b(fig(?:ure|\.)?|abb(?:ildung|\.)?|bild|diagram|table|tab\.|tabelle)\s*(\d+(?:[.-]\d+)*[a-z]?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """`words` name what is asked about, each once; `language` is `en`, `de` or unknown; `wanted` is the kind of answer,
    where its form can be told; `text` is the question that decides what is asked; `labels` are figures and tables that
    it gives by number, as `figure 3`; `wants_figure` tells that it asks for a picture, `aggregate` what is to be made
    of the values of a table, `is_negated` that it asks for what is not so."""

    words: tuple[str, ...]
    language: str | None
    shape: Shape
    wanted: Wanted | None = None
    text: str = ""
    labels: frozenset[str] = frozenset()
    wants_figure: bool = False
    aggregate: Aggregate | None = None
    is_negated: bool = False

    def stems(self, language: str | None) -> tuple[str, ...]:
        """A stem for each of the words, as a text of this language has them."""
        return tuple((terms(word, language) or [word])[0] for word in self.words)


@lru_cache(maxsize=32)  # one answer asks for it again and again
def asked(query: str, before: str = "") -> Question:
    """`before` is the question that this one leans on: its words count too, its shape where this one is only a few
    small words, and its language where this one tells none."""
    words, content = _words(query)
    _, leant_on = _words(before)
    decisive = query if content or not before else before
    return Question(
        words=tuple(dict.fromkeys([*content, *leant_on])) or words,
        language=_language(query) or _language(before),
        shape=_shape(decisive),
        wanted=wanted(decisive),
        text=decisive,
        labels=labels_of(query),
        wants_figure=bool(OF_FIGURES.search(query)),
        is_negated=bool(NEGATED.search(query)),
        aggregate=next((name for name, asks in AGGREGATES if asks.search(query)), None),
    )


def labels_of(text: str) -> frozenset[str]:
    """Figures and tables that a text gives by number, in one spelling."""
    return frozenset(
        f"{'table' if match[1].casefold().startswith('tab') else 'figure'} {match[2].casefold()}"
        for match in _LABEL.finditer(text)
    )


def _words(query: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All of them, and those that name what is asked about."""
    plain = WORKING.sub(r"\1 \2", MEASURES.sub(r"\1", query))
    for _, asks in AGGREGATES:
        plain = asks.sub(" ", plain)
    words = tuple(dict.fromkeys(terms(plain if plain.strip(" ?") else query, None)))[:_MAX_WORDS]
    small = analysis.function_words(words)
    return words, tuple(word for word in words if word not in small and word not in ASKING)


def _language(query: str) -> str | None:
    return language_of(query.casefold().replace("?", " ").split())


def _shape(query: str) -> Shape:
    if COMPARING.search(query):
        return "comparison"
    if OF_STEPS.search(query):
        return "steps"
    if OVERVIEW.search(query) or _is_topic(query):
        return "overview"
    if LISTING.search(query):
        return "list"
    return "explanation" if EXPLAINING.search(query) else "fact"


def _is_topic(query: str) -> bool:
    """Whether it names a subject and asks nothing of it."""
    words = query.split()
    return len(words) <= _MAX_TOPIC_WORDS and "?" not in query and not LISTING.search(query)
