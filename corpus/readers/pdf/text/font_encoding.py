"""Characters that fonts do not identify, or map to characters other than those they draw."""

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

from corpus.readers.pdf.page_geometry import raw
from corpus.readers.pdf.text.glyphs import font_of
from corpus.readers.pdf.text.visibility import Characters, address_of
from corpus.readers.plausibility import count_unmapped, is_readable, is_unmapped
from corpus.readers.typography import decode_symbols

GAP = "\ufffd"  # Placeholder for a character in a word that the font does not identify.
_NO_SPACES = frozenset("\v\f\x1c\x1d\x1e\x1f")
_HYPHENS = "\x02\ufffe"
_MIN_UNNAMED = 20
"""Minimum number of unidentified characters in a font for the page to need OCR. Formulas have a few large brackets."""

_MAX_GAPS = 0.2
"""Maximum fraction of unidentified characters in a font. Ligatures are 3 % of English text; if more are unidentified,
the other characters are not text either."""

_MAX_LOST = 0.3  # Maximum fraction of characters missing on a page; without three in ten, words are unintelligible.
_MIN_LINE_NONSENSE = 3  # Minimum number of nonsense characters in a line for OCR to read the entire line.
_LINE = re.compile(r"[^\r\n]+")
_GAP = re.compile(
    rf"(?<=[^\W\d_]){GAP}(?=[^\W\d_])|(?<=[^\W\d_]{{2}}){GAP}(?=[ .,;:!?)])|(?<![^\s({GAP}]){GAP}(?=[^\W\d_]{{2}})"
)
"""An unidentified character within a word, at its end, or at its start."""

_AT_DIGITS = re.compile(rf"(?<=\d){GAP}++|(?<!{GAP}){GAP}++(?=\d)")
_RUN = re.compile(rf"{GAP}{{2,}}")  # A word in which no character is identified.
_MIN_NEIGHBOURS = 2
"""Minimum number of adjacent pairs of control codes in one font; in a column of numbers, most numbers have two
digits."""

_MIN_SMALL = 20
"""Minimum number of lower-case letters in a font used for words; upright formula fonts have fewer."""

_MIN_LEVEL = 0.8  # Minimum fraction of digits among a font's control codes; others may be a comma and a minus.
_MAX_BELOW = 0.1  # Maximum depth below the baseline, in font heights; brackets have descenders, digits do not.
_DIGIT_HEIGHT = (0.4, 0.9)  # Digit height in font heights: old-style digits have 0.45, others 0.65 to 0.75.
_FORMULA_FONT = re.compile(
    rb"cm(?:ex|sy|mi|bsy)|lm(?:ex|sy|mi)|ms[ab]m|math|symbol|wasy|stmary|dingbat|mt(?:ex|sy|mi)|euex|rsfs|esint",
    re.IGNORECASE,
)
"""Formula fonts. Their control codes are arrows and operators, which can be omitted from text."""

_SYMBOL_FONT = re.compile(rb"(symbol|wingdings|webdings)[ \-]?([23](?!\d))?", re.IGNORECASE)
_BRACKETS = range(0xF8E5, 0xF8FF)  # Pieces of large brackets in Adobe's glyph list.


@dataclass(frozen=True, slots=True)
class EncodingLosses:
    """Counts of characters lost by font encodings. `gaps` counts unidentified characters in words; `nonsense` counts
    characters omitted because their fonts map them to characters other than those they draw."""

    gaps: int = 0
    nonsense: int = 0


def decode(
    text: Any,
    chars: list[str],
    characters: Characters,
    hidden_indexes: Collection[int],
    halves: Collection[int] = (),
) -> EncodingLosses:
    """Correct `chars`, the characters of PDFium's text page `text`, where fonts do not map them to Unicode correctly.
    An unidentified character in a word becomes GAP; nonsense and unidentified symbols become NUL.

    `hidden_indexes` are the indexes of hidden characters; `halves` is the result of `join_halves`.
    """
    special = [
        index
        for index, char in enumerate(chars)
        if not " " <= char <= "\x7e" and char not in "\r\n\t" and index not in halves and index not in hidden_indexes
    ]
    before = {index: chars[index] for index in special}
    for index in special:
        chars[index] = standard_character(chars[index])
        if "\uf020" <= chars[index] < "\uf100":
            chars[index] = decode_symbols(chars[index], _symbol_font(text, index))
    odd = [index for index in special if chars[index] not in _HYPHENS and _is_unnamed(chars[index])]
    if odd:
        hidden_objects = {address_of(raw.FPDFText_GetTextObject(text, index)) for index in hidden_indexes}
        for index in odd:
            handle = raw.FPDFText_GetTextObject(text, index)
            if chars[index] != "\0" or (handle and address_of(handle) not in hidden_objects):
                chars[index] = chars[index] if "\ue000" <= chars[index] < GAP else GAP
    nonsense = _drop_nonsense(chars, characters)
    if not odd:
        return EncodingLosses(0, nonsense)
    # In old fonts, control codes encode the brackets of formulas. Count them only within lower-case words.
    codes = {index for index in odd if "\0" < before[index] < " "}
    text_with_gaps = "".join(GAP if _is_unnamed(char) and char not in "\0" + _HYPHENS else char for char in chars)
    of_text = _in_text_fonts(text, chars, characters, odd)
    gaps = {
        match.start()
        for match in _GAP.finditer(text_with_gaps)
        if match.start() not in codes
        or match.start() in of_text
        or not any(map(str.isupper, text_with_gaps[max(0, match.start() - 1) : match.end() + 1]))
    }
    for match in _RUN.finditer("".join(" " if at in codes else char for at, char in enumerate(text_with_gaps))):
        gaps.update(range(*match.span()))
    # A number that loses a digit or comma would become another number: 45 for 4,5, or 40 for 740.
    gaps.update(
        at
        for match in _AT_DIGITS.finditer(text_with_gaps)
        for at in range(*match.span())
        if at in of_text or (at and text_with_gaps[at - 1].isdecimal() and text_with_gaps[at + 1 : at + 2].isdecimal())
    )
    gaps.update(_number_indexes(text, odd, before))
    for index in odd:
        if index in gaps:
            chars[index] = GAP
        elif chars[index] == GAP:
            chars[index] = "\0"  # a formula symbol or an icon
    named_count = sum(char.isalnum() for char in chars)
    if len(gaps) >= _MIN_UNNAMED and len(gaps) > _MAX_LOST * (len(gaps) + named_count):
        return EncodingLosses(0, nonsense + _drop_lines(chars, gaps))
    return EncodingLosses(len(gaps), nonsense)


def join_halves(chars: list[str]) -> list[int]:
    """Join surrogate pairs, which PDFium returns as two characters. The second character becomes NUL, and its index is
    returned.

    Mathematical letters become plain ones, so that searches find them.
    """
    halves = []
    for index in [at for at, char in enumerate(chars) if "\ud800" <= char < "\udc00"]:
        if index + 1 < len(chars) and "\udc00" <= chars[index + 1] < "\ue000":
            pair = (chars[index] + chars[index + 1]).encode("utf-16", "surrogatepass").decode("utf-16")
            plain = unicodedata.normalize("NFKC", pair) if "\U0001d400" <= pair < "\U0001d800" else pair
            chars[index], chars[index + 1] = plain, "\0"
            halves.append(index + 1)
    return halves


def standard_character(char: str) -> str:
    """Return the Unicode character for a private or control code, according to the lists of font design programs."""
    code = ord(char)
    if code in _BRACKETS:
        return " "
    if 0x80 <= code < 0xA0:
        return bytes((code,)).decode("cp1252", "replace")
    if code in (0xF001, 0xF002):
        return "ﬁﬂ"[code - 0xF001]
    if 0xF730 <= code <= 0xF739 or 0xF761 <= code <= 0xF77A or 0xF7E0 <= code <= 0xF7FE:
        return chr(code - 0xF700)  # Adobe's old-style digits and small capitals
    return char


def _is_unnamed(char: str) -> bool:
    """Return whether the code identifies no character. Some control codes that count as spaces elsewhere identify no
    character in a PDF."""
    return char in _NO_SPACES or is_unmapped(char)


def _number_indexes(text: Any, unnamed: Sequence[int], before: Mapping[int, str]) -> set[int]:
    """Return the indexes in `unnamed` whose font uses control codes for digits or letters, including isolated ones.

    Such a font places these characters side by side on a baseline, and they are as high as digits. Bullets, in
    contrast, are isolated, and the parts of large brackets are higher or extend below the baseline.
    """
    of_font: dict[int, list[int]] = defaultdict(list)
    for index in unnamed:
        if "\0" < before[index] < " " and (handle := raw.FPDFText_GetTextObject(text, index)):
            of_font[address_of(raw.FPDFTextObj_GetFont(handle))].append(index)
    numbers = set[int]()
    for indexes in of_font.values():
        level = [index for index in indexes if _is_as_high_as_a_digit(text, index)]
        neighbours = sum(after == index + 1 for index, after in pairwise(level))
        if (
            neighbours >= _MIN_NEIGHBOURS
            and len(level) > _MIN_LEVEL * len(indexes)
            and not _is_of_formulas(text, indexes[0])
        ):
            numbers.update(indexes)
    return numbers


def _in_text_fonts(text: Any, chars: Sequence[str], characters: Characters, odd: Collection[int]) -> set[int]:
    """Return the indexes in `odd` whose font is also used for words and is not a formula font."""
    fonts = {address: address_of(raw.FPDFTextObj_GetFont(handle)) for address, handle in characters.handles.items()}
    small = Counter(
        fonts[address]
        for index, address in zip(characters.indexes, characters.objects, strict=True)
        if chars[index].islower()
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
    # Measure across the direction of writing.
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
    """Return the name under which Office knows the symbol font of the character; empty for other fonts."""
    match = _SYMBOL_FONT.search(font_of(text, index)[0])
    return f"{match[1].decode()} {(match[2] or b'').decode()}".strip() if match else ""


def _is_of_formulas(text: Any, index: int) -> bool:
    return _FORMULA_FONT.search(font_of(text, index)[0]) is not None


def _drop_nonsense(chars: list[str], characters: Characters) -> int:
    """Set characters to NUL if their fonts map them to characters other than those they draw. Return their number."""
    fonts = {address: address_of(raw.FPDFTextObj_GetFont(handle)) for address, handle in characters.handles.items()}
    of_font: dict[int, list[int]] = defaultdict(list)
    for index, address in zip(characters.indexes, characters.objects, strict=True):
        if chars[index] != "\0":
            of_font[fonts[address]].append(index)
    nonsense = [indexes for indexes in of_font.values() if not _is_sensible(_text_of(chars, indexes))]
    all_indexes = sorted(index for indexes in of_font.values() for index in indexes)
    if not nonsense and len(of_font) > 1 and not _is_sensible(_text_of(chars, all_indexes)):
        nonsense = [all_indexes]
    return _drop_lines(chars, {index for indexes in nonsense for index in indexes})


def _drop_lines(chars: list[str], nonsense: Collection[int]) -> int:
    """Set nonsense characters to NUL, and entire lines that contain several of them, so that OCR reads these lines
    completely. Return the number of nonsense characters."""
    for match in _LINE.finditer("".join(chars)):
        if sum(index in nonsense for index in range(*match.span())) >= _MIN_LINE_NONSENSE:
            chars[match.start() : match.end()] = "\0" * (match.end() - match.start())
    for index in nonsense:
        chars[index] = "\0"
    return len(nonsense)


def _text_of(chars: Sequence[str], indexes: Sequence[int]) -> str:
    """Return the characters at the indexes, with a space wherever other characters are skipped."""
    parts, last = list[str](), -1
    for index in indexes:
        if index != last + 1:
            parts.append(" ")
        parts.append(chars[index])
        last = index
    return "".join(parts)


def _is_sensible(text: str) -> bool:
    """Return whether the font's text is readable, apart from a few unidentified characters."""
    unnamed = count_unmapped(text)
    if unnamed >= _MIN_UNNAMED and unnamed > _MAX_GAPS * len(text):
        return False
    return is_readable("".join(char for char in text if not is_unmapped(char)) if unnamed else text)
