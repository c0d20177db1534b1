"""Terms of a text, as produced by Lucene's analyzers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_MAX_TERM = 255
_IDEOGRAPH = "\u3040-\u309f\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(
    rf"[{_IDEOGRAPH}]"
    rf"|(?:[^\W{_IDEOGRAPH}]+[\u0300-\u036f]*"
    r"|(?<=[^\W\d_])[.'’](?=[^\W\d_])"
    r"|(?<=\d)[.,;'’](?=\d))+"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_STOP = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with
"""
_ENGLISH_STOP = frozenset(_STOP.split())
_ENDINGS = {
    "en": ("ingly", "edly", "ing", "ed", "ies", "es", "s"),
    "de": ("ern", "em", "er", "en", "es", "e", "s", "n"),
    "fr": ("es", "e", "s"),
}


def terms_of(text: str, analyzer: str) -> list[str]:
    """Return the terms in the order of the text. An unknown analyzer works like the standard one."""
    if analyzer == "keyword":
        return [text] if text else []
    if analyzer == "whitespace":
        return text.split()
    if analyzer in ("simple", "stop"):
        return _LETTERS.findall(text.lower())
    return _language(analyzer)(standard_terms(text))


def standard_terms(text: str) -> list[str]:
    terms = (term for term in _WORD.findall(text.lower()) if term.strip("_"))
    return [term[at : at + _MAX_TERM] for term in terms for at in range(0, len(term), _MAX_TERM)]


def folded(text: str) -> str:
    """Remove accents."""
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


def _language(analyzer: str) -> Callable[[list[str]], list[str]]:
    language, _, family = analyzer.partition(".")
    endings = _ENDINGS.get(language[:2]) if family in ("lucene", "microsoft") else None
    if endings is None:
        return list
    stop = _ENGLISH_STOP if language.startswith("en") else frozenset()
    return lambda terms: [_stem(term, endings) for term in terms if term not in stop]


def _stem(term: str, endings: tuple[str, ...]) -> str:
    for possessive in ("'s", "’s"):
        term = term.removesuffix(possessive)
    for ending in endings:
        if term.endswith(ending) and len(term) - len(ending) >= 3:
            return term.removesuffix(ending)
    return term
