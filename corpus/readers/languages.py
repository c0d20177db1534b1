"""The language of a text, among those that documents are commonly written in."""

from __future__ import annotations

from functools import cache
from typing import Any

_EUROPEAN = "bg cs da de el en es et fi fr hr hu it lt lv nl no pl pt ro ru sk sl sr sv uk"
_OTHERS = "ar fa he hi id ja ko th tr vi zh"
_FEWEST_LETTERS = 40
_SAMPLE = 4000


def language_of(text: str) -> str | None:
    """Its ISO 639-1 code, or None when there are too few letters to tell."""
    sample = text[:_SAMPLE]
    letters = sum(1 for letter in sample if letter.isalpha())
    # One ideograph says as much as several letters.
    wide = sum(1 for letter in sample if letter >= "\u3040")
    if letters + 3 * wide < _FEWEST_LETTERS:
        return None
    return str(_identifier().classify(sample)[0])


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(f"{_EUROPEAN} {_OTHERS}".split())
    return identifier
