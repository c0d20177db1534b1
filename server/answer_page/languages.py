"""Detect the language of each text, for screen readers and hyphenation. The page's own words are English or German."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.IGNORECASE)
_FROM_THE_RIGHT = frozenset(("ar", "fa", "he", "ur", "yi"))


def attributes(language: str | None) -> dict[str, str]:
    """Of an element in that language; None is one that is not known, which is not the page's either."""
    if language is None or not _CODE.fullmatch(language):
        return {"lang": ""}
    primary = language.partition("-")[0].lower()
    return {"lang": language, "dir": "rtl"} if primary in _FROM_THE_RIGHT else {"lang": language}


def written(language: str | None) -> str:
    """The same as they stand in a tag, with the space before."""
    return "".join(f' {name}="{value}"' for name, value in attributes(language).items())


def language_of_answer(text: str, sources: Iterable[str | None]) -> str | None:
    """By its words; where these are too few, that of the first source that has one."""
    from corpus.readers.languages import language_of

    return language_of(text) or next(filter(None, sources), None)


def language_of_part(text: str, answer: str | None, sources: Collection[str]) -> str | None:
    """That of the answer, unless the words of the part are of another one that its sources are in."""
    from corpus.readers.languages import language_of

    if not set(sources) - {answer}:
        return answer
    language = language_of(text)
    return language if language in sources else answer
