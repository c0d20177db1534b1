"""Labels that distinguish things of one kind: the letter of "valve C", the number of "version 2.30"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from corpus.verification.names import is_small_word

_LETTERED = re.compile(
    r"(?<![\w])(?P<kind>[^\W\d_]{3,30})[ \u00a0](?P<mark>[A-HJ-Z])(?![\w'’&]|\.[ ]?\S|[ ]?[&+/-])"
)
"""Without I, the pronoun, and without initials."""
_NUMBERED = re.compile(
    r"(?<!\w)(?:version|ver\.?|v\.?|release|firmware|revision|rev\.?)[ \u00a0]?(?P<mark>\d{1,4}\.\d{1,4})(?!\d|\.\d)",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?<![\d.,])\d{1,4}\.\d{1,4}(?!\d|\.\d)")
_ARTICLE = re.compile(r"(?:^|(?<=[.!?:\n] )|(?<=\n))A(?= [^\W\d_A-Z])")
_ALONE = re.compile(r"(?<![\w])[^\W\d_](?!\w)")
_VERSION = "version"


@dataclass(frozen=True, slots=True)
class Designation:
    """A label and its kind, as written; `kind` is folded, and one word for all versions."""

    start: int
    end: int
    kind: str
    mark: str


def designations(text: str) -> Iterator[Designation]:
    """The labels in a text: letters in order, then version numbers."""
    for match in _LETTERED.finditer(text):
        if not is_small_word(match["kind"]):
            yield Designation(*match.span(), match["kind"].casefold(), match["mark"])
    for match in _NUMBERED.finditer(text):
        yield Designation(*match.span("mark"), _VERSION, match["mark"])


class Designations:
    """The labels of one text, computed lazily."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, designation: Designation) -> bool:
        """Whether the label occurs here, for whatever thing."""
        return designation.mark in (self._decimals if designation.kind == _VERSION else self._letters)

    def has_other(self, designation: Designation) -> bool:
        """Whether a thing of this kind has another label here."""
        return bool(self._kinds.get(designation.kind, frozenset()) - {designation.mark})

    @cached_property
    def _kinds(self) -> dict[str, set[str]]:
        marks: dict[str, set[str]] = {}
        for designation in designations(self._text):
            marks.setdefault(designation.kind, set()).add(designation.mark)
        return marks

    @cached_property
    def _letters(self) -> frozenset[str]:
        """Single letters of either case, except the article."""
        alone = set(_ALONE.findall(_ARTICLE.sub("", self._text))) - {"a"}
        return frozenset(letter.upper() for letter in alone)

    @cached_property
    def _decimals(self) -> frozenset[str]:
        return frozenset(_DECIMAL.findall(self._text))
