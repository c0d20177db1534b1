"""Put lines in Arabic and Hebrew into writing order by the positions of their characters.

PDFium reverses such lines by its own rules, which break codes ("LK-720") and brackets. This module inverts the Unicode
Bidirectional Algorithm (UAX 9) instead: it puts characters that are displayed from right to left into writing order,
and keeps Latin words and numbers in order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import union

_SCRIPTS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ARABIC = re.compile("[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_KINDS = {"L": "L", "R": "R", "AL": "R", "EN": "N", "AN": "N"}
_PAIRS = {"(": ")", "[": "]", "{": "}", "«": "»", "‹": "›", "<": ">"}
_OPEN = {**{bracket: bracket for bracket in _PAIRS}, **{close: begin for begin, close in _PAIRS.items()}}
# fmt: off
_UNITS = frozenset((
    "mm", "cm", "m", "km", "g", "kg", "t", "l", "ml", "W", "kW", "MW", "kWh", "MWh", "V", "kV", "A", "mA",
    "Hz", "kHz", "MHz", "GHz", "bar", "mbar", "psi", "Pa", "kPa", "MPa", "N", "Nm", "J", "kJ", "C", "F", "K",
    "s", "min", "h", "rpm", "dB", "EUR", "USD", "GBP", "MB", "GB", "TB",
))
"""Units that are written after a number although they are displayed to the left of it ("12.5 bar"). Other words in that
position are written before the number ("EN 733")."""

_MIN_SPACE, _MIN_NARROW_SPACE = 0.18, 0.02
"""Minimum width of a space in font heights. A space is a quarter to a third wide, and there is no gap between letters
that do not join. If the file has a space character, _MIN_NARROW_SPACE is enough."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A visible character with the text that is written after it (a combining mark, a `^`), its box and its index."""

    text: str
    box: Box
    index: int = 0


def has_right_to_left(text: str) -> bool:
    """Return whether some characters belong to a right-to-left script."""
    return _SCRIPTS.search(text) is not None


def is_right_to_left(text: str) -> bool:
    """Return whether most letters belong to a right-to-left script."""
    if not has_right_to_left(text):
        return False
    kinds = [_kind(char) for char in text if char.isalpha()]
    return 2 * kinds.count("R") >= len(kinds) > 0


def words_as_written(glyphs: Sequence[Glyph], size: float, spaces: Container[int]) -> list[Glyph]:
    """Return the words of a line that runs to the left, in writing order, each with its box. `size` is the height of
    the font in points.

    `spaces` contains the indexes of space characters.
    """
    ordered_glyphs = _with_marks(sorted(glyphs, key=_place))
    texts, boxes = list[str](), list[Box | None]()
    last: Glyph | None = None
    for glyph in ordered_glyphs:
        if last and _is_space_between(last, glyph, size, spaces):
            texts.append(" ")
            boxes.append(None)
        last = glyph
        texts.append(glyph.text)
        boxes.append(glyph.box)
    words, word = list[Glyph](), list[int]()
    order = _order([text[:1] for text in texts])
    for index in (*order, None):
        if index is not None and texts[index] != " ":
            word.append(index)
        elif word:
            box = union(filter(None, map(boxes.__getitem__, word)))
            words.append(Glyph("".join(texts[place] for place in word), box))
            word = []
    words_text = _brackets(" ".join(each.text for each in words)).split(" ")
    return [Glyph(text, each.box) for text, each in zip(words_text, words, strict=True)]


def order_of_words(texts: Sequence[str]) -> list[int]:
    """Return the writing order, as indexes, of words that are displayed from left to right in the given order."""
    if not is_right_to_left("".join(texts)):
        return list(range(len(texts)))
    kinds = [_kind_of_word(text) for text in texts]
    marks = [mark for kind in kinds for mark in (kind, " ")][:-1]
    return [place // 2 for place in _order(marks) if place % 2 == 0]


def _order(marks: Sequence[str]) -> list[int]:
    """Return the writing order of characters that are displayed from left to right in the given order, on a line that
    runs to the left."""
    order = list(range(len(marks)))[::-1]
    for start, end in _runs(_kinds(marks), marks):
        order[len(marks) - end : len(marks) - start] = range(start, end)
    return order


def _kinds(marks: Sequence[str]) -> list[str]:
    """Return L (left to right), R (right to left), N (number) or O (other) for each character. Separators within a
    number count as part of it."""
    kinds = [_kind(mark) for mark in marks]
    arabic = any(_ARABIC.match(mark) for mark in marks)
    for place, mark in enumerate(marks):
        kind = unicodedata.bidirectional(mark[:1]) if mark else ""
        before = kinds[place - 1] if place else "O"
        after = kinds[place + 1] if place + 1 < len(kinds) else "O"
        within = before == after == "N" and (kind == "CS" or (kind == "ES" and not arabic))
        if within or (kind == "ET" and not arabic and "N" in (before, after)):
            kinds[place] = "N"
    return kinds


def _runs(kinds: Sequence[str], marks: Sequence[str]) -> list[tuple[int, int]]:
    """Return the left-to-right runs in a right-to-left line: numbers, and Latin words with the characters between
    them."""
    runs: list[tuple[int, int]] = []
    for place, kind in enumerate(kinds):
        if kind not in "LN":
            continue
        if runs:
            start, end = runs[-1]
            latin = "L" in kinds[start:end] or kind == "L"
            is_unit = kind == "N" and "".join(marks[start:end]) in _UNITS
            if end == place or (latin and not is_unit and "R" not in kinds[end:place]):
                runs[-1] = (start, place + 1)
                continue
        runs.append((place, place + 1))
    return [_with_bracket(run, kinds, marks) for run in runs]


def _with_bracket(run: tuple[int, int], kinds: Sequence[str], marks: Sequence[str]) -> tuple[int, int]:
    """Return the run, extended by a closing bracket if the run contains the opening one."""
    start, end = run
    inside = "".join(marks[start:end])
    if "L" in kinds[start:end] and inside.count("(") > inside.count(")") and marks[end : end + 1] == [")"]:
        return start, end + 1
    return run


def _kind(mark: str) -> str:
    return _KINDS.get(unicodedata.bidirectional(mark[0]), "O") if mark else "O"


def _kind_of_word(text: str) -> str:
    """Return a character that represents the word: a character of its first script, otherwise a number or a mark. Units
    represent themselves."""
    if text in _UNITS:
        return text
    kinds = [_kind(char) for char in text]
    for kind, sign in (("R", "א"), ("L", "a"), ("N", "1")):
        if kind in kinds:
            return sign
    return "!"


def _with_marks(glyphs: list[Glyph]) -> list[Glyph]:
    """Attach combining marks to their letters, which are written first."""
    bases = [glyph for glyph in glyphs if unicodedata.bidirectional(glyph.text[0]) != "NSM"]
    if not bases:
        return glyphs
    marks: dict[int, str] = {}
    for glyph in glyphs:
        if unicodedata.bidirectional(glyph.text[0]) == "NSM":
            middle = glyph.box[0] + glyph.box[2]
            nearest = min(range(len(bases)), key=lambda n: abs(bases[n].box[0] + bases[n].box[2] - middle))
            marks[nearest] = marks.get(nearest, "") + glyph.text
    return [Glyph(glyph.text + marks.get(n, ""), glyph.box, glyph.index) for n, glyph in enumerate(bases)]


def _is_space_between(left: Glyph, right: Glyph, size: float, spaces: Container[int]) -> bool:
    gap = (right.box[0] - left.box[2]) / max(size, 1.0)
    between = abs(left.index - right.index) == 2 and (left.index + right.index) // 2 in spaces
    return gap > (_MIN_NARROW_SPACE if between else _MIN_SPACE)


def _place(glyph: Glyph) -> tuple[float, int]:
    """Return the sort key of a character. The characters of one ligature share a position; the first in writing order
    is farthest right."""
    leftward = _kind(glyph.text) == "R"
    return round(glyph.box[0] + glyph.box[2], 1), -glyph.index if leftward else glyph.index


def _brackets(text: str) -> str:
    """Mirror brackets to their written form. Files and PDFium return some brackets as displayed and some mirrored."""
    signs = list(text)
    open_brackets: list[str] = []
    for place, sign in enumerate(signs):
        begin = _OPEN.get(sign)
        if begin is None or begin == "<":
            continue
        before, after = text[place - 1 : place] or " ", text[place + 1 : place + 2] or " "
        opens = (before.isspace() or before in _OPEN) and not after.isspace()
        closes = not before.isspace() and not after.isalnum()
        if opens == closes:
            opens = begin not in open_brackets
        if opens:
            open_brackets.append(begin)
        elif begin in open_brackets:
            open_brackets.remove(begin)
        signs[place] = begin if opens else _PAIRS[begin]
    return "".join(signs)
