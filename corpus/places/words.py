"""The words for places in English and German, and how labels are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from corpus.places.place import Kind


@dataclass(frozen=True, slots=True)
class Noun:
    """A word before a label. One that is `dotted` is another word where no dot follows it ("tab", "sec")."""

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
"""Of a section, a figure, a table: "3", "3.2", "3-2". Four digits are a year."""
PART = r"(?:\s?\([a-z]\)|[a-z](?![^\W_]))?"
"""Of a figure: "3a", "3(a)", "3 (a)"."""
LETTERED = rf"[A-Z]{{1,2}}(?:\.|{DASH})?[0-9]{{1,3}}(?:(?:\.|{DASH})[0-9]{{1,3}}){{0,4}}"
"""In an appendix or a chapter with a letter: "A-1", "B.2", "S3"."""
ROMAN = r"(?=[IVXivx])(?:X{0,3}(?:IX|IV|V?I{0,3})|x{0,3}(?:ix|iv|v?i{0,3}))"


def either(words: Iterable[str]) -> str:
    """A pattern for any of the words. The longest comes first, since the first that fits is taken."""
    return "|".join(sorted(words, key=len, reverse=True))


def singular(kind: Kind) -> str:
    """A pattern for what stands before the label of one such place, an abbreviation with its dot."""
    nouns = ((word, noun) for word, noun in NOUNS.items() if noun.kind == kind and not noun.plural)
    return f"(?i:{either(word + (DOT if noun.dotted else OPTIONAL_DOT) for word, noun in nouns)})"
