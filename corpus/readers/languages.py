"""The language of a text, among those that documents are commonly written in."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

from corpus.readers.promise import ReadBlock

_EUROPEAN = "bg cs da de el en es et fi fr hr hu it lt lv nl no pl pt ro ru sk sl sr sv uk"
_OTHERS = "ar fa he hi id ja ko th tr vi zh"
_FEWEST_LETTERS = 40
_SAMPLE = 2000
_LONG_ENOUGH = 200
_SHARE = 0.1


def language_of(text: str) -> str | None:
    """Its ISO 639-1 code, or None when there are too few letters to tell."""
    sample = text[:_SAMPLE]
    letters = sum(1 for letter in sample if letter.isalpha())
    if 2 * letters < len("".join(sample.split())):
        return None  # figures, mostly
    # One ideograph says as much as several letters.
    wide = sum(1 for letter in sample if letter >= "\u3040")
    if letters + 3 * wide < _FEWEST_LETTERS:
        return None
    return str(_identifier().classify(sample)[0])


def settled(blocks: list[ReadBlock]) -> tuple[list[ReadBlock], str | None]:
    """The blocks, each with a language, and the one that most of the text is in.

    A language that only a small part seems to be in is a mistake over a table or a list of names.
    """
    letters: Counter[str] = Counter()
    for block in blocks:
        if len(block.content) > _LONG_ENOUGH and (language := language_of(block.content)):
            letters[language] += len(block.content)
    if not letters:
        main = language_of("\n".join(block.content for block in blocks))
        return [replace(block, language=main) for block in blocks], main
    main = letters.most_common(1)[0][0]
    found = {language for language, count in letters.items() if count >= _SHARE * letters.total()}
    return [replace(block, language=_language(block, found, main)) for block in blocks], main


def _language(block: ReadBlock, found: set[str], main: str) -> str:
    if len(found) == 1 or len(block.content) <= _LONG_ENOUGH:
        return main
    language = language_of(block.content)
    return language if language in found else main


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(f"{_EUROPEAN} {_OTHERS}".split())
    return identifier
