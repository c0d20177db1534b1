"""A place in a document, which has the same label regardless of its spelling: "Fig. 3" and "Abbildung 3" are equal.

This module also contains the words and numbers that denote places, and the places in sheets.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Self, get_args

from corpus.text.normalization import roman as roman_number

Kind = Literal["figure", "table", "equation", "page", "slide", "section", "appendix", "sheet", "row"]
"""Kind of a place. A chapter counts as a section. A cell range on a sheet counts as its rows, because a block contains
all columns of a row."""
KINDS: tuple[Kind, ...] = get_args(Kind)

FIRST, LAST = "first", "last"
"""Labels of the first and last page or slide. The cover and the title page count as the first page."""

_MAX_LABEL = 80
"""Maximum length of a label in characters. The longest labels are sheet names, which Excel limits to 31 characters."""
_DASH = re.compile(r"[‐‑–—−-]")
_ROMAN = re.compile(r"(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})")
_DEFAULT_SHEET = re.compile(r"(?:sheet|tabelle|blatt|table)[ _]?([0-9]{1,3})")
_LETTER_BEFORE_DIGIT = re.compile(r"^([a-z]{1,2})(?=[0-9])")
_SUBFIGURE = re.compile(r"(.*[0-9])[a-z]")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place. `label` is normalised; `Place.at` normalises a printed label."""

    kind: Kind
    label: str

    @classmethod
    def at(cls, kind: Kind, printed: str) -> Self:
        """Return the place with this printed label. A section whose label begins with a letter ("A.1") gets the kind
        `appendix`."""
        label = _label(kind, printed)
        lettered = kind == "section" and label[:1].isalpha()
        return cls("appendix" if lettered else kind, label)

    @classmethod
    def from_term(cls, term: str) -> Self:
        """Return the place with this `term`. Raise ValueError for a string that is not a term."""
        name, _, label = term.partition(":")
        kind = next((kind for kind in KINDS if kind == name), None)
        if kind is None or not label:
            raise ValueError(f"{term[:40]!r} is no term of a place.")
        return cls(kind, label)

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"

    @property
    def term(self) -> str:
        """Return the place as a single lower-case search term without spaces, such as "figure:3"."""
        return f"{self.kind}:{self.label}"

    @property
    def wider(self) -> Place | None:
        """Return the wider place to use if no block is at this place: figure 3 for 3a, section 3 for 3.2, page 7 for
        slide 7.

        A block in section 3.2 is also in section 3, but a block at figure 3 need not show figure 3a.
        """
        if self.kind == "slide":
            return Place("page", self.label)
        if self.kind in ("section", "appendix"):
            parent, dot, _ = self.label.rpartition(".")
            return Place(self.kind, parent) if dot else None
        if self.kind in ("figure", "table", "equation") and (part := _SUBFIGURE.fullmatch(self.label)):
            return Place(self.kind, part[1])
        return None


def roman_value(numeral: str) -> int | None:
    """Return the value of a lower-case Roman numeral below 40, or None for any other text."""
    return roman_number(numeral) if _ROMAN.fullmatch(numeral) else None


def roman(value: int) -> str:
    """Return the lower-case Roman numeral of a number from 1 to 39."""
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
        parts[0] = str(value)  # most people call a paper's "TABLE II" table 2
    return _LETTER_BEFORE_DIGIT.sub(r"\1.", ".".join(parts))


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun that precedes a label. If it is `dotted`, it has another meaning unless a dot follows it ("tab",
    "sec")."""

    kind: Kind
    plural: bool = False
    dotted: bool = False


_SINGULAR: dict[Kind, str] = {
    "figure": "figure fig abbildung bild bildes chart diagram diagramm diagramms schaubild schaubilds schaubildes "
    "grafik graph exhibit",
    "table": "table tabelle",
    "equation": "equation eq eqn gleichung",
    "page": "page pg seite",
    "slide": "slide folie",
    "section": "section subsection chapter clause abschnitt abschnitts abschnittes unterabschnitt kapitel kapitels "
    "ziffer §",
    "appendix": "appendix annex anhang anhangs anlage",
}
_PLURAL: dict[Kind, str] = {
    "figure": "figures figs abbildungen bilder bildern charts diagrams diagramme diagrammen schaubilder schaubildern "
    "grafiken graphs exhibits",
    "table": "tables tabellen",
    "equation": "equations eqs eqns gleichungen",
    "page": "pages pp seiten",
    "slide": "slides folien",
    "section": "sections subsections chapters clauses abschnitte abschnitten kapiteln ziffern §§",
    "appendix": "appendices annexes anhänge anhängen anlagen",
}
_DOTTED: dict[Kind, str] = {
    "figure": "abb",
    "table": "tab tbl",
    "equation": "gl",
    "page": "p s",
    "section": "sec sect ch chap kap absch",
    "appendix": "app",
}
NOUNS = {
    **{word: Noun(kind) for kind, words in _SINGULAR.items() for word in words.split()},
    **{word: Noun(kind, plural=True) for kind, words in _PLURAL.items() for word in words.split()},
    **{word: Noun(kind, dotted=True) for kind, words in _DOTTED.items() for word in words.split()},
}

NUMBERS = {
    word: str(number)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for number, word in enumerate(words.split(), 1)
}
ORDINALS = {
    word + ending: number
    for words, endings in (
        ("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", ("",)),
        (
            "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte",
            ("", "n", "r", "s", "m"),
        ),
    )
    for number, word in enumerate(words.split(), 1)
    for ending in endings
}

DOT, OPTIONAL_DOT = r"\.", r"\.?"
DASH = r"[-–—‑]"
NUMBER = rf"[0-9]{{1,3}}(?:(?:\.|{DASH})[0-9]{{1,3}}){{0,5}}"
"""Pattern for the number of a section, a figure or a table: "3", "3.2", "3-2". Four digits are a year."""
PART = r"(?:\s?\([a-z]\)|[a-z](?![^\W_]))?"
"""Pattern for the letter of a part after a figure number: "3a", "3(a)", "3 (a)"."""
LETTERED = rf"[A-Z]{{1,2}}(?:\.|{DASH})?[0-9]{{1,3}}(?:(?:\.|{DASH})[0-9]{{1,3}}){{0,4}}"
"""Pattern for a number in an appendix or in a chapter that has a letter: "A-1", "B.2", "S3"."""
ROMAN = r"(?=[IVXivx])(?:X{0,3}(?:IX|IV|V?I{0,3})|x{0,3}(?:ix|iv|v?i{0,3}))"


def either(words: Iterable[str]) -> str:
    """Return a pattern for any of the words. Longer words come first, because a regular expression uses the first
    alternative that matches."""
    return "|".join(sorted(words, key=len, reverse=True))


def singular(kind: Kind) -> str:
    """Return a pattern for the singular noun that precedes the label of such a place, including the dot of an
    abbreviation."""
    nouns = ((word, noun) for word, noun in NOUNS.items() if noun.kind == kind and not noun.plural)
    return f"(?i:{either(word + (DOT if noun.dotted else OPTIONAL_DOT) for word, noun in nouns)})"


MAX_NAMED_ROWS = 50
"""Maximum number of rows in a range in a query. A larger range hardly narrows the search, so only its sheet is used."""
MAX_BLOCK_ROWS = 500
"""Maximum number of rows in a block, as in the spreadsheet reader."""

Span = tuple[int, int, tuple[Place, ...]]
"""Start and end of a place name in a query, and its places."""


def _cells(number: int, colon: str) -> str:
    """Return a pattern for a cell or a cell range, with groups for its first and last row."""
    cell = r"\$?[A-Za-z]{1,3}\$?(?P<%s%d>[1-9][0-9]{0,6})"
    return f"{cell % ('top', number)}(?:{colon}{cell % ('bottom', number)})"


_QUOTES = "\"'“”„‘’«»"
_NAME = r"[^\W\d]\w{0,30}"
_MAX_QUOTED = 40
_TO = r"(?:\s?[:–-]\s?|\s(?:to|bis)\s)"
_REFERENCE = re.compile(rf"!{_cells(1, ':')}?(?!\w)")
_RANGE = re.compile(rf"(?<![\w!$]){_cells(1, ':')}(?![\w!:])")
_NAMED_CELLS = re.compile(rf"(?i:\s{{1,2}}{_cells(1, _TO)}?(?![\w!:]))")
_QUOTED_NAME = re.compile(rf"\s{{1,2}}[{_QUOTES}]([^{_QUOTES}!\n]{{1,{_MAX_QUOTED}}})[{_QUOTES}]")
_NUMBER = re.compile(r"\s?([0-9]{1,3})(?![.,]?\w)")
_TITLE_NAME = re.compile(rf"\s((?=[A-ZÄÖÜ]){_NAME})(?![\w!])")
_SHEET_WORDS = frozenset(("sheet", "worksheet", "tab", "blatt", "tabellenblatt", "arbeitsblatt"))
_CELL_WORDS = frozenset(("cell", "cells", "zelle", "zellen", "range", "bereich"))
_BEFORE_NUMBER = _SHEET_WORDS - {"tab"}
_BEFORE_NAME = _SHEET_WORDS - {"tab", "blatt"}
_BEFORE_SHEET = re.compile(r"(?:(?<!\w)(?:the|in|on|of|from|auf|im) |^)$")
"""Pattern for the text before the word "sheet" and a sheet name. In "data sheet LM317" and "fact sheet Germany", the
word does not refer to a sheet of a workbook."""
_HEADING = re.compile(rf"(?:'(?P<quoted>(?:[^']|''){{1,62}})'|(?P<bare>\w{{1,31}}))!{_cells(1, ':')}")


def cells_in(query: str) -> Iterator[Span]:
    """Yield the cells in a query, each with its span: either a range alone (`B3:D9`) or a range after its sheet
    (`Sales!B3:D9`)."""
    for match in _REFERENCE.finditer(query):
        if name := _name_before(query, match.start()):
            place = _sheet(name.strip(_QUOTES))
            rows = rows_between(match["top1"], match["bottom1"])
            yield match.start() - len(name), match.end(), ((place, *rows) if place else rows)
    if ":" in query:
        for match in _RANGE.finditer(query):
            if rows := rows_between(match["top1"], match["bottom1"]):
                yield *match.span(), rows


def sheet_at(query: str, start: int, end: int, word: str) -> Span | None:
    """Return the sheet or the cells that this word and the text next to it refer to, with their span."""
    if word in _CELL_WORDS and (cells := _NAMED_CELLS.match(query, end)):
        rows = rows_between(cells["top1"], cells["bottom1"])
        return (start, cells.end(), rows) if rows else None
    if word not in _SHEET_WORDS:
        return None
    name = _QUOTED_NAME.match(query, end) or (_NUMBER.match(query, end) if word in _BEFORE_NUMBER else None)
    if not name and word in _BEFORE_NAME and (word != "sheet" or _stands_alone(query, start)):
        name = _TITLE_NAME.match(query, end)
    if name and (place := _sheet(name[1])):
        return start, name.end(), (place,)
    before = _name_before(query, start - 1) if query[start - 1 : start] == " " else ""
    place = _sheet(before.strip(_QUOTES)) if before[-1:] in _QUOTES and before else None
    return (start - 1 - len(before), end, (place,)) if place else None


def _stands_alone(query: str, start: int) -> bool:
    return query.startswith("sheet", start) and bool(_BEFORE_SHEET.search(query, max(0, start - 6), start))


def _name_before(query: str, end: int) -> str:
    """Return the name that ends at this offset: one word, or a quoted name with its quotation marks."""
    text = query[max(0, end - _MAX_QUOTED - 2) : end]
    if text[-1:] and text[-1] in _QUOTES:
        opening = max(text.rfind(quote, 0, len(text) - 1) for quote in _QUOTES)
        return text[opening:] if opening >= 0 and len(text) - opening > 2 else ""
    return re.split(r"\W", text)[-1]


def sheets_of(heading: str) -> frozenset[Place]:
    """Return the sheet and the rows of a heading that is a cell range. The result is empty for any other heading."""
    match = _HEADING.fullmatch(heading)
    if not match:
        return frozenset()
    name = match["quoted"].replace("''", "'") if match["quoted"] else match["bare"]
    sheet = _sheet(name)
    return frozenset(rows_between(match["top1"], match["bottom1"], MAX_BLOCK_ROWS)) | ({sheet} if sheet else set())


def rows_between(top: str, bottom: str | None, at_most: int = MAX_NAMED_ROWS) -> tuple[Place, ...]:
    """Return each row of a range, in order. Return no rows if there are more than `at_most`."""
    low, high = sorted((int(top), int(bottom or top)))
    if high - low >= at_most:
        return ()
    return tuple(Place("row", str(row)) for row in range(low, high + 1))


def _sheet(name: str) -> Place | None:
    place = Place.at("sheet", name)
    return place if place.label else None
