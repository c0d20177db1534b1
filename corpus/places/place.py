"""A place in a document, with the same label however it is written: "Fig. 3" and "Abbildung 3" are equal."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, Self, get_args

from corpus.text.roman_numerals import roman as roman_number

Kind = Literal["figure", "table", "equation", "page", "slide", "section", "appendix", "sheet", "row"]
"""A chapter is a section. A range of cells on a sheet is its rows, since a block has all columns of a row."""
KINDS: tuple[Kind, ...] = get_args(Kind)

FIRST, LAST = "first", "last"
"""Labels of pages and slides. The cover and the title page are the first page."""

_MAX_LABEL = 80
"""Characters of a label. The longest are names of sheets, which Excel bounds at 31."""
_DASH = re.compile(r"[‐‑–—−-]")
_ROMAN = re.compile(r"(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})")
_DEFAULT_SHEET = re.compile(r"(?:sheet|tabelle|blatt|table)[ _]?([0-9]{1,3})")
_LETTER_BEFORE_DIGIT = re.compile(r"^([a-z]{1,2})(?=[0-9])")
_SUBFIGURE = re.compile(r"(.*[0-9])[a-z]")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """`label` is normalised; `Place.at` normalises a printed label."""

    kind: Kind
    label: str

    @classmethod
    def at(cls, kind: Kind, printed: str) -> Self:
        """The place with this printed label. A section with a letter ("A.1") is one of an appendix."""
        label = _label(kind, printed)
        lettered = kind == "section" and label[:1].isalpha()
        return cls("appendix" if lettered else kind, label)

    @classmethod
    def from_term(cls, term: str) -> Self:
        """The place whose `term` this is. Raises ValueError for any other text."""
        name, _, label = term.partition(":")
        kind = next((kind for kind in KINDS if kind == name), None)
        if kind is None or not label:
            raise ValueError(f"{term[:40]!r} is no term of a place.")
        return cls(kind, label)

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"

    @property
    def term(self) -> str:
        """One search term, such as "figure:3": without spaces, in lower case."""
        return f"{self.kind}:{self.label}"

    @property
    def wider(self) -> Place | None:
        """The place to go by where no block is at this one: figure 3 for 3a, section 3 for 3.2, page 7 for slide 7.

        A block in section 3.2 is at section 3, too. One at figure 3 need not say that it shows 3a."""
        if self.kind == "slide":
            return Place("page", self.label)
        if self.kind in ("section", "appendix"):
            parent, dot, _ = self.label.rpartition(".")
            return Place(self.kind, parent) if dot else None
        if self.kind in ("figure", "table", "equation") and (part := _SUBFIGURE.fullmatch(self.label)):
            return Place(self.kind, part[1])
        return None


def roman_value(numeral: str) -> int | None:
    """The value of a lower-case roman numeral below 40; None for any other text."""
    return roman_number(numeral) if _ROMAN.fullmatch(numeral) else None


def roman(value: int) -> str:
    """The lower-case numeral of a number from 1 to 39."""
    units = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
    return "x" * (value // 10) + units[value % 10]


def _label(kind: Kind, printed: str) -> str:
    plain = " ".join(unicodedata.normalize("NFKC", printed).casefold().split())[:_MAX_LABEL]
    if kind == "sheet":
        default = _DEFAULT_SHEET.fullmatch(plain)
        return default[1] if default else plain.replace(" ", "_")
    plain = re.sub(r"[()\s]", "", plain).strip(".:")
    if kind in ("page", "slide"):
        return plain.lstrip("0") or plain
    parts = _DASH.sub(".", plain).split(".")
    if value := roman_value(parts[0]):
        parts[0] = str(value)  # "TABLE II" of a paper is table 2 for most who ask
    return _LETTER_BEFORE_DIGIT.sub(r"\1.", ".".join(parts))
