"""The words and patterns of questions in one language, and of the texts that answer them.

English and German share the patterns of `lexicon` and `question`, because their words seldom collide. The words of the
other languages do collide (French "car", Dutch "wie", Italian "come"), so each has its own vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Literal

from corpus.synthesis.extractive.lexicon import (
    AGGREGATES,
    ASKING,
    COMPARING,
    EXPLAINING,
    LACKING,
    LISTING,
    MEASURES,
    MORE_OR_LESS,
    NEGATED,
    OF_DOCUMENT,
    OF_FIGURES,
    OF_GIST,
    OF_STEPS,
    OVERVIEW,
    SPENDING,
    WORKING,
    Aggregate,
)

AnswerKind = Literal["date", "duration", "frequency", "amount", "number", "contact", "person", "reason", "definition"]

MODULES = {"fr": "french", "es": "spanish", "it": "italian", "nl": "dutch", "pt": "portuguese"}
"""Vocabulary module of each language. A module is imported when the first question in its language arrives."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """Patterns for definitions. `question` has the group `term`. `copula` matches the words after the term in a
    text."""

    question: re.Pattern[str]
    copula: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Sums:
    """Patterns for words in a question about a table: money, "how much", age, spending verbs, single rows, and the
    things whose sums are compared (groups `name` and `person`)."""

    money: re.Pattern[str]
    how_much: re.Pattern[str]
    age: re.Pattern[str]
    total: re.Pattern[str]
    row: re.Pattern[str]
    per: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The patterns of questions in one language, named as in `lexicon`. The defaults are the English and German
    patterns.

    `asks` contains the patterns for questions that ask for each kind of answer, and `holds` those for texts that
    contain it. `prices` is the pattern for a question about a price, and `when` that for a question that a condition
    can answer. They are empty or None for English and German.
    """

    asking: frozenset[str] = ASKING
    spending: frozenset[str] = SPENDING
    comparing: re.Pattern[str] = COMPARING
    listing: re.Pattern[str] = LISTING
    steps: re.Pattern[str] = OF_STEPS
    overview: re.Pattern[str] = OVERVIEW
    gist: re.Pattern[str] = OF_GIST
    explaining: re.Pattern[str] = EXPLAINING
    measures: re.Pattern[str] = MEASURES
    working: re.Pattern[str] = WORKING
    negated: re.Pattern[str] = NEGATED
    lacking: re.Pattern[str] = LACKING
    figures: re.Pattern[str] = OF_FIGURES
    of_document: re.Pattern[str] = OF_DOCUMENT
    aggregates: tuple[tuple[Aggregate, re.Pattern[str]], ...] = AGGREGATES
    more_or_less: re.Pattern[str] = MORE_OR_LESS
    asks: Mapping[AnswerKind, re.Pattern[str]] | None = None
    holds: Mapping[AnswerKind, re.Pattern[str]] | None = None
    prices: re.Pattern[str] | None = None
    when: re.Pattern[str] | None = None
    definitions: Definitions | None = None
    sums: Sums | None = None


_ENGLISH_AND_GERMAN = Vocabulary()


@cache
def vocabulary_of(language: str | None) -> Vocabulary:
    """Return the vocabulary of a language. Languages without their own get the English and German vocabulary."""
    if language not in MODULES:
        return _ENGLISH_AND_GERMAN
    vocabulary: Vocabulary = import_module(f"{__package__}.{MODULES[language]}").VOCABULARY
    return vocabulary


def words(*alternatives: str) -> re.Pattern[str]:
    """Return the pattern of any of these words, ignoring case."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


def beginning(*alternatives: str) -> re.Pattern[str]:
    """Return the pattern of any of these words at the start of a sentence."""
    return re.compile(rf"(?:^|[.?!;:])[\s¿¡]*(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


def measures(how: str, *measured: str) -> re.Pattern[str]:
    """Return the pattern of "how" (group 1) followed by a measure."""
    return re.compile(rf"\b({how})\s+(?:{'|'.join(measured)})\b", re.IGNORECASE)


def working(how: str, *verbs: str) -> re.Pattern[str]:
    """Return the pattern of the verb of "how does it work"; groups 1 and 2 are the words around it."""
    return re.compile(rf"\b((?:{how})\b.{{1,80}}?)\b(?:{'|'.join(verbs)})\b()", re.IGNORECASE)


def definitions(before: str, articles: str, after: str, copula: str, negation: str) -> Definitions:
    """Return the patterns of a definition. In the question, `before`, `articles` and `after` are the words around the
    term. In a text, `copula` gives the words after the term, and `negation` those that give a copula another
    meaning."""
    return Definitions(
        re.compile(
            rf"^\W*(?:{before})\s*(?:(?:{articles})\s*)?(?P<term>[^?]{{2,60}}?)(?:\s+(?:{after}))?\W*$", re.IGNORECASE
        ),
        re.compile(rf"\W{{0,3}}(?:\([^)]{{1,40}}\)\s*)?\b(?:{copula})\b(?!\s+(?:{negation})\b)", re.IGNORECASE),
    )
