"""Words that say nothing about what a query asks for: articles, prepositions, question words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "danish": "da", "norwegian": "no", "swedish": "sv",
    "finnish": "fi", "hungarian": "hu", "russian": "ru",
}  # fmt: skip
"""The lists, each with the tag of its language."""

_MORE_ENGLISH = (
    "what which who whom whose how why when where does do did done can could would should shall may might must has "
    "have had having been being am were from about than then than them they him his her hers its our your my me us "
    "you he she we i so too very also any some all each many much more most one does's between during before after "
    "over under through up down out off here there these those because while both other only own same"
)
ENGLISH = frozenset(_MORE_ENGLISH.split())
"""What the packaged English list, made for another purpose, leaves out."""
_MORE_GERMAN = (
    "wann wer wem wen wessen warum weshalb wieso woher wohin wozu womit wodurch wofür wogegen woran worauf woraus "
    "worin worüber wovon wobei wieviel wieviele viele vielen oft müssen darf dürfen können sollen"
)
GERMAN = frozenset(_MORE_GERMAN.split())
"""The same of the German one."""
_MORE = {"english": ENGLISH, "german": GERMAN}


def among(words: Sequence[str]) -> frozenset[str]:
    """Those of a query that are function words of the language in which it seems to be written.

    The lists contradict each other ("die", "war", "man"), so the one that knows most of the words decides.
    """
    return _most_known(tuple(words))[1]


def language_of(words: Sequence[str]) -> str | None:
    """The tag of the language in which a query seems to be written, None where its small words do not tell."""
    return _most_known(tuple(words))[0]


@lru_cache(maxsize=16)
def _most_known(words: tuple[str, ...]) -> tuple[str | None, frozenset[str]]:
    lists = {tag: _known(words, language) for language, tag in LANGUAGES.items()}
    best = max(lists, key=lambda tag: len(lists[tag]))
    tie = sum(len(known) == len(lists[best]) for known in lists.values()) > 1
    return None if tie else best, lists[best]


def _known(words: Sequence[str], language: str) -> frozenset[str]:
    rest = frozenset(_filter(language).analyze(" ".join(words)))
    return frozenset(words) - rest | _MORE.get(language, frozenset[str]()).intersection(words)


@cache
def _filter(language: str) -> TextAnalyzer:
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.stopword(language)).build()
