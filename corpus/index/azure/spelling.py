"""How a name that is written here may stand in an index. The service folds case and nothing else, so what counts as the
same here (`corpus.text.normalization.fold_case`) is asked for in every way of writing it that is at all usual.
"""

from __future__ import annotations

import re
import unicodedata

from corpus.text.normalization import clean, compatible, fold_case

LONGEST_NAME = 1_000
"""Letters; no document is called so, and the service refuses much longer texts."""
LONGEST_WORD = 100
MOST_WORDS = 16
"""Of a name or of a list's query; each costs the service a look through its terms."""

_PIECE = re.compile(r"[^\W_]+")
_TOGETHER = {
    "ss": "(ss|ß)", "ffi": "(ffi|ﬃ|ﬀi|fﬁ)", "ffl": "(ffl|ﬄ|ﬀl|fﬂ)", "ff": "(ff|ﬀ)", "fi": "(fi|ﬁ)", "fl": "(fl|ﬂ)",
}  # fmt: skip
_UNIT = re.compile("|".join(_TOGETHER) + "|.", re.DOTALL)
_WIDE = {ord(letter): chr(ord(letter) + 0xFEE0) for letter in "abcdefghijklmnopqrstuvwxyz0123456789"}


def each_word(text: str) -> str | None:
    """A query in Lucene's syntax for rows that hold every word, or a term that holds it; None for no word.

    Only letters and digits of the text get into it, in small letters, so that nothing of it is an operator.
    """
    small = unicodedata.normalize("NFC", clean(text[:LONGEST_NAME]).lower())
    pieces = list(dict.fromkeys(one[:LONGEST_WORD] for one in _PIECE.findall(small)))[:MOST_WORDS]
    return " ".join(map(_word, pieces)) or None


def whole_name(name: str) -> str:
    """A query in Lucene's syntax for rows that hold the name as a phrase."""
    phrases = (re.sub(r'["\\]', " ", one) for one in spellings(name))
    return " OR ".join(f'"{one}"' for one in phrases)


def spellings(name: str) -> list[str]:
    """The name itself, and others that are the same where neither case nor the way of writing letters counts."""
    forms = [unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name), compatible(name)]
    return list(dict.fromkeys((name, *forms, fold_case(name), fold_case(name).replace("ss", "ß"))))


def _word(written: str) -> str:
    same = _folded(written)
    terms = dict.fromkeys((written, same))
    return f"+({' OR '.join(terms)} OR /.*({'|'.join(_patterns(written, same))}).*/)"


def _folded(written: str) -> str:
    """Folded, where that is still one word of letters and digits."""
    same = fold_case(written)
    return same if _PIECE.fullmatch(same) else written


def _patterns(written: str, same: str) -> list[str]:
    """Regular expressions for the word as a term of the index."""
    usual = _UNIT.sub(lambda unit: _TOGETHER.get(unit[0]) or _apart(unit[0]), same)
    wide = same.translate(_WIDE)
    return [usual, *(one for one in dict.fromkeys((written, wide)) if not re.fullmatch(usual, one))]


def _apart(letter: str) -> str:
    """A letter, also as one that is followed by its marks."""
    marked = unicodedata.normalize("NFD", letter)
    return letter if marked == letter else f"({letter}|{marked})"
