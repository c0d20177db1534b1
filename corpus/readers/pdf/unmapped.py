"""Characters that the fonts of a page map to nothing, or to other letters than they draw."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from corpus.readers.pdf.hidden.characters import Characters, address_of
from corpus.readers.pdf.pdfium import raw
from corpus.readers.plausibility import is_readable, is_unmapped, unmapped
from corpus.readers.symbol_fonts import in_symbol_font

GAP = "\ufffd"
"""What stands for a character of a word that the font does not name."""

_NO_SPACES = frozenset("\v\f\x1c\x1d\x1e\x1f")
_HYPHENS = "\x02\ufffe"
_MIN_UNNAMED = 20
"""Characters of a font without names that make a page one to recognise; formulas have a few large brackets."""
_MAX_GAPS = 0.2
"""Of the characters of a font; of English, 3 % are ligatures. Where more is not named, the rest is no text either."""
_MAX_LOST = 0.3
"""Of the letters of a page: with three in ten missing, words cannot be told from each other."""
_MIN_OF_LINE = 3
_LINE = re.compile(r"[^\r\n]+")
_GAP = re.compile(
    rf"(?<=[^\W\d_]){GAP}(?=[^\W\d_])|(?<=[^\W\d_]{{2}}){GAP}(?=[ .,;:!?)])|(?<![^\s({GAP}]){GAP}(?=[^\W\d_]{{2}})"
)
"""A sign within a word, at its end or at its start."""
_AT_DIGITS = re.compile(rf"(?<=\d){GAP}++|(?<!{GAP}){GAP}++(?=\d)")
_RUN = re.compile(rf"{GAP}{{2,}}")
"""A word of which no letter is named."""
_MIN_BESIDE = 2
"""Pairs of control codes side by side in one font: in a column of numbers most have two digits."""
_MIN_SMALL = 20
"""Small letters of a font on a page, by which it is one of words: formulas have less of an upright one."""
_MIN_LEVEL = 0.8
"""Of the control codes of a font of digits; it may have a comma and a minus too."""
_MAX_BELOW = 0.1
_DIGIT_HEIGHT = (0.4, 0.9)
"""Of the size of the font: old-style digits are 0.45 high, others 0.65 to 0.75."""
_NAME_BYTES = 128
_FORMULA_FONT = re.compile(
    rb"cm(?:ex|sy|mi|bsy)|lm(?:ex|sy|mi)|ms[ab]m|math|symbol|wasy|stmary|dingbat|mt(?:ex|sy|mi)|euex|rsfs|esint",
    re.IGNORECASE,
)
"""Whose control codes are arrows and operators, which a reader of text does not miss."""
_SYMBOL_FONT = re.compile(rb"(symbol|wingdings|webdings)[ \-]?([23](?!\d))?", re.IGNORECASE)
_BRACKETS = range(0xF8E5, 0xF8FF)
"""Pieces of large brackets, in Adobe's list."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """`gaps` are characters of words that are not named, `nonsense` those of fonts that name other letters than they
    draw, which are left out."""

    gaps: int = 0
    nonsense: int = 0


def decode(
    text: Any,
    letters: list[str],
    characters: Characters,
    unseen: Collection[int],
    halves: Collection[int] = (),
) -> Unmapped:
    """Put the right characters into `letters`, those of PDFium's `text`, where fonts name them in another way; GAP
    where a word lacks one, and NUL where the letters make no sense. `unseen` are the indexes of hidden ones,
    `halves` those that `join_halves` gives.
    """
    own = [
        index
        for index, letter in enumerate(letters)
        if not " " <= letter <= "\x7e"
        and letter not in "\r\n\t"
        and index not in halves
        and index not in unseen
    ]
    before = {index: letters[index] for index in own}
    for index in own:
        letters[index] = named(letters[index])
        if "\uf020" <= letters[index] < "\uf100":
            letters[index] = in_symbol_font(letters[index], _symbol_font(text, index))
    odd = [index for index in own if letters[index] not in _HYPHENS and _is_unnamed(letters[index])]
    if odd:
        hidden = {address_of(raw.FPDFText_GetTextObject(text, index)) for index in unseen}
        for index in odd:
            handle = raw.FPDFText_GetTextObject(text, index)
            if letters[index] != "\0" or (handle and address_of(handle) not in hidden):
                letters[index] = letters[index] if "\ue000" <= letters[index] < GAP else GAP
    nonsense = _drop_nonsense(letters, characters)
    if not odd:
        return Unmapped(0, nonsense)
    # Control codes are brackets of formulas in old fonts: letters only within a word of small ones.
    codes = {index for index in odd if "\0" < before[index] < " "}
    written = "".join(
        GAP if _is_unnamed(letter) and letter not in "\0" + _HYPHENS else letter for letter in letters
    )
    of_text = _of_text(text, letters, characters, odd)
    gaps = {
        match.start()
        for match in _GAP.finditer(written)
        if match.start() not in codes
        or match.start() in of_text
        or not any(map(str.isupper, written[max(0, match.start() - 1) : match.end() + 1]))
    }
    for match in _RUN.finditer("".join(" " if at in codes else letter for at, letter in enumerate(written))):
        gaps.update(range(*match.span()))
    # Never is a number without one of its signs another number: 45 for 4,5, or 40 for 740.
    gaps.update(
        at
        for match in _AT_DIGITS.finditer(written)
        for at in range(*match.span())
        if at in of_text or (at and written[at - 1].isdecimal() and written[at + 1 : at + 2].isdecimal())
    )
    gaps.update(_numbers(text, odd, before))
    for index in odd:
        if index in gaps:
            letters[index] = GAP
        elif letters[index] == GAP:
            letters[index] = "\0"  # a sign of a formula or an icon
    seen = sum(letter.isalnum() for letter in letters)
    if len(gaps) >= _MIN_UNNAMED and len(gaps) > _MAX_LOST * (len(gaps) + seen):
        return Unmapped(0, nonsense + _drop_lines(letters, gaps))
    return Unmapped(len(gaps), nonsense)


def join_halves(letters: list[str]) -> list[int]:
    """Make one character of two halves of UTF-16, which PDFium gives apart, and NUL of the second; where these stand.

    Letters of mathematics become plain ones, as which they are searched for.
    """
    halves = []
    for index in [at for at, letter in enumerate(letters) if "\ud800" <= letter < "\udc00"]:
        if index + 1 < len(letters) and "\udc00" <= letters[index + 1] < "\ue000":
            pair = (letters[index] + letters[index + 1]).encode("utf-16", "surrogatepass").decode("utf-16")
            plain = unicodedata.normalize("NFKC", pair) if "\U0001d400" <= pair < "\U0001d800" else pair
            letters[index], letters[index + 1] = plain, "\0"
            halves.append(index + 1)
    return halves


def named(letter: str) -> str:
    """The character that a private or control code stands for by the lists that programs of type design used."""
    code = ord(letter)
    if code in _BRACKETS:
        return " "
    if 0x80 <= code < 0xA0:
        return bytes((code,)).decode("cp1252", "replace")
    if code in (0xF001, 0xF002):
        return "ﬁﬂ"[code - 0xF001]
    if 0xF730 <= code <= 0xF739 or 0xF761 <= code <= 0xF77A or 0xF7E0 <= code <= 0xF7FE:
        return chr(code - 0xF700)  # Adobe's old-style digits and small capitals
    return letter


def _is_unnamed(letter: str) -> bool:
    """Whether it names no character. Control codes that count as spaces in texts are none in a PDF."""
    return letter in _NO_SPACES or is_unmapped(letter)


def _numbers(text: Any, odd: Sequence[int], before: Mapping[int, str]) -> set[int]:
    """The indexes among `odd` of characters of fonts that give control codes for digits or letters, alone ones too.

    Such a font has them side by side on a baseline, as high as digits are. Bullets stand alone, and the pieces of large
    brackets, which old fonts of formulas give as control codes, are higher or hang below their baseline.
    """
    of_font: dict[int, list[int]] = defaultdict(list)
    for index in odd:
        if "\0" < before[index] < " " and (handle := raw.FPDFText_GetTextObject(text, index)):
            of_font[address_of(raw.FPDFTextObj_GetFont(handle))].append(index)
    found = set[int]()
    for indexes in of_font.values():
        level = [index for index in indexes if _is_as_high_as_a_digit(text, index)]
        beside = sum(after == index + 1 for index, after in pairwise(level))
        if (
            beside >= _MIN_BESIDE
            and len(level) > _MIN_LEVEL * len(indexes)
            and not _is_of_formulas(text, indexes[0])
        ):
            found.update(indexes)
    return found


def _of_text(text: Any, letters: Sequence[str], characters: Characters, odd: Collection[int]) -> set[int]:
    """Those of the indexes `odd` whose font writes words too, and is no font of formulas."""
    fonts = {
        address: address_of(raw.FPDFTextObj_GetFont(handle)) for address, handle in characters.handles.items()
    }
    small = Counter(
        fonts[address]
        for index, address in zip(characters.indexes, characters.objects, strict=True)
        if letters[index].islower()
    )
    return {
        index
        for index in odd
        if (handle := raw.FPDFText_GetTextObject(text, index))
        and small[address_of(raw.FPDFTextObj_GetFont(handle))] >= _MIN_SMALL
        and not _is_of_formulas(text, index)
    }


def _is_as_high_as_a_digit(text: Any, index: int) -> bool:
    left, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
    raw.FPDFText_GetCharBox(text, index, left, right, bottom, top)
    raw.FPDFText_GetCharOrigin(text, index, x, y)
    matrix, size = raw.FS_MATRIX(), float(raw.FPDFText_GetFontSize(text, index))
    if not raw.FPDFText_GetMatrix(text, index, matrix) or not (size := size * math.hypot(matrix.c, matrix.d)):
        return False
    # Across the line of writing, whichever way it runs.
    is_level = abs(matrix.c) < abs(matrix.d)
    low, high = (
        sorted((bottom.value - y.value, top.value - y.value))
        if is_level
        else sorted((left.value - x.value, right.value - x.value))
    )
    if (matrix.d if is_level else matrix.c) < 0:
        low, high = -high, -low
    return -_MAX_BELOW * size < low and _DIGIT_HEIGHT[0] * size < high < _DIGIT_HEIGHT[1] * size


def _symbol_font(text: Any, index: int) -> str:
    """The name of the font of signs that draws the character, as Office has it."""
    found = _SYMBOL_FONT.search(_font_name(text, index))
    return f"{found[1].decode()} {(found[2] or b'').decode()}".strip() if found else ""


def _is_of_formulas(text: Any, index: int) -> bool:
    return _FORMULA_FONT.search(_font_name(text, index)) is not None


def _font_name(text: Any, index: int) -> bytes:
    name, flags = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_int()
    raw.FPDFText_GetFontInfo(text, index, name, _NAME_BYTES, flags)
    return name.value


def _drop_nonsense(letters: list[str], characters: Characters) -> int:
    """Make NUL of the characters of fonts that name other letters than they draw; how many they are."""
    fonts = {
        address: address_of(raw.FPDFTextObj_GetFont(handle)) for address, handle in characters.handles.items()
    }
    of_font: dict[int, list[int]] = defaultdict(list)
    for index, address in zip(characters.indexes, characters.objects, strict=True):
        if letters[index] != "\0":
            of_font[fonts[address]].append(index)
    bad = [indexes for indexes in of_font.values() if not _is_sensible(_joined(letters, indexes))]
    everything = sorted(index for indexes in of_font.values() for index in indexes)
    if not bad and len(of_font) > 1 and not _is_sensible(_joined(letters, everything)):
        bad = [everything]
    return _drop_lines(letters, {index for indexes in bad for index in indexes})


def _drop_lines(letters: list[str], nonsense: Collection[int]) -> int:
    """Make NUL of the lines that hold some of the characters, which text recognition reads as a whole; how many these
    are."""
    for match in _LINE.finditer("".join(letters)):
        if sum(index in nonsense for index in range(*match.span())) >= _MIN_OF_LINE:
            letters[match.start() : match.end()] = "\0" * (match.end() - match.start())
    for index in nonsense:
        letters[index] = "\0"
    return len(nonsense)


def _joined(letters: Sequence[str], indexes: Sequence[int]) -> str:
    """The characters at the indexes, with a space where others come between."""
    parts, last = list[str](), -1
    for index in indexes:
        if index != last + 1:
            parts.append(" ")
        parts.append(letters[index])
        last = index
    return "".join(parts)


def _is_sensible(written: str) -> bool:
    """Whether what a font gives can be read, but for a few characters that it does not name."""
    lost = unmapped(written)
    if lost >= _MIN_UNNAMED and lost > _MAX_GAPS * len(written):
        return False
    return is_readable("".join(letter for letter in written if not is_unmapped(letter)) if lost else written)
