"""What a question gives by name: numbers, identifiers, acronyms and, in English, proper names; and whether it stands
in a text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import islice
from typing import Literal

from corpus.verification.names import SourceNames, Tokens, begins_sentence, forms, is_code, may_name, tokens

Capitals = Literal["name", "code", "nothing"]

_MAX_NAMES = 64
"""Names of one question that are looked up."""
_TYPO_RATIO = 0.85
"""Share of equal letters (Ratcliff and Obershelp) from which a name is taken for a slip of the pen."""
_MIN_TYPO = 5
"""Letters from which it is: of shorter words one more letter makes another word, as "Mars" of "Mar"."""
_NUMBER = re.compile(r"\d[\d.,'’\u202f]*\d")
_SEPARATORS = re.compile(r"\D")
_PAGES = re.compile(
    r"\b(?:pages?|pp?\.|seiten?|s\.)\s*\d+(?:\s*(?:-|–|,|and|to|und|bis)\s*\d+)*", re.IGNORECASE
)
"""Where to look, not what to look for: page numbers seldom stand in the text."""
_DECADE = re.compile(r"\d{2,4}er[ns]?")
"""German, as in "den 70ern": English writes it otherwise, and often as a range of years."""
_LIST = re.compile(r"\[[^\[\]]*\]")
"""How an answer is to be written, as in ["3.0", "2.0"]."""
_PART_WORDS = (
    "table tables figure figures section chapter appendix page tabelle abbildung abschnitt kapitel seite"
)
_PARTS = frozenset(_PART_WORDS.split())
"""What is numbered in a document. Texts of figures and tables do not say that they are one."""
_GERMAN_BEFORE_NAMES = "herr herrn frau doktor professor professorin firma projekt programm marke modell typ"
_BEFORE_NAMES = {"de": frozenset(_GERMAN_BEFORE_NAMES.split())}
"""Nouns, by language, behind which a name stands: "Projekt Merkur", "Frau Keller"."""


def query_names(question: str, language: str | None) -> tuple[str, ...]:
    """As written, each once. A digit alone says too little to be missed. In German every noun is capitalised, so that
    there, as where the language is not known, only what has a capital or a digit within counts as a name; in German
    also what stands behind a title or a kind of thing."""
    plain = _LIST.sub(" ", _PAGES.sub(" ", question))
    split = tokens(_NUMBER.sub(_digits_only, plain))
    capitals = _capitals(split, language)
    before = _BEFORE_NAMES.get(language or "", frozenset[str]())
    candidates = (
        word
        for at, word in enumerate(split.written)
        if _counts(split, at, capitals) or (may_name(word) and split.folded[at - 1] in before)
    )
    return tuple(islice(dict.fromkeys(candidates), _MAX_NAMES))


def all_stand(names: Sequence[str], text: str) -> bool:
    """Whether the text has each of them: a number or an identifier as it is, a name in another form or nearly so."""
    names_of_text, split = SourceNames(text), tokens(_NUMBER.sub(_digits_only, text))
    words = frozenset(form for word in split.written for form in forms(word))
    return all(_stands(name, names_of_text, words) for name in names)


def _digits_only(number: re.Match[str]) -> str:
    """Without the separators of thousands and decimals, which are written one way here and another there."""
    return _SEPARATORS.sub("", number[0])


def _capitals(split: Tokens, language: str | None) -> Capitals:
    """What a capital says here: that the word is a name, only within a word that it is one, or nothing."""
    long = [word for word in split.written if len(word) > 3]
    if len(long) > 1 and all(word.isupper() for word in long):
        return "nothing"
    is_title = all(word[0].isupper() for word in long)
    return "name" if language == "en" and not is_title else "code"


def _counts(split: Tokens, at: int, capitals: Capitals) -> bool:
    word = split.written[at]
    if any(character.isdigit() for character in word):
        return len(word) > 1 and not _DECADE.fullmatch(word)
    if capitals == "nothing" or not may_name(word) or word.casefold() in _PARTS:
        return False
    return is_code(word) or (capitals == "name" and not begins_sentence(split, at))


def _stands(name: str, names_of_text: SourceNames, words: frozenset[str]) -> bool:
    if any(character.isdigit() for character in name):
        return not words.isdisjoint(forms(name))
    return names_of_text.holds(name) or any(_alike(name.casefold(), word) for word in words)


def _alike(name: str, word: str) -> bool:
    if min(len(name), len(word)) < _MIN_TYPO or name[0] != word[0] or abs(len(name) - len(word)) > 1:
        return False
    return difflib.SequenceMatcher(None, name, word).ratio() >= _TYPO_RATIO
