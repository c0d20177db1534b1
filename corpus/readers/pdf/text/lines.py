"""Lines of a page, and the positions of words within them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from corpus.documents.block import Box
from corpus.documents.line_boxes import is_right_to_left, width_of
from corpus.readers.pdf.page_geometry import rotate_box

_WORD = re.compile(r"\S+")
_MAX_OFFSET = 1.5  # Maximum distance of a word from its predicted position, in average character widths.
_MAX_GAP = 2.0  # Maximum gap between pieces, in average character widths; a wider gap belongs to neither piece.
_MAX_PIECES = 8  # Maximum number of pieces in a line; more would cost more space than the better highlights are worth.

Piece = tuple[int, Box]  # A part of a line: its start in the line's text, and its box.


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a line. `begins` and `ends` are distances from the start of the line in points. `weights` are the
    distances that typical character widths predict for the same words."""

    offsets: Sequence[int]
    begins: Sequence[float]
    ends: Sequence[float]
    weights: Sequence[float]

    def cuts(self, first: int, last: int, off: float) -> list[int]:
        """Return the indexes of the words, other than the first, at which a new piece must begin. Split at the word
        with the largest error, then split both halves, as in the line simplification of Douglas and Peucker (1973)."""
        if last - first < 2:
            return []
        start, zero = self.begins[first], self.weights[first]
        end, whole = (
            (self.begins[last], self.weights[last]) if last < len(self.begins) else (self.ends[-1], self.weights[-1])
        )
        step = (end - start) / (whole - zero or 1.0)
        wrong, worst = max(
            (abs(start + (self.weights[word] - zero) * step - self.begins[word]), word)
            for word in range(first + 1, last)
        )
        return [*self.cuts(first, worst, off), worst, *self.cuts(worst, last, off)] if wrong > off else []


def pieces_of(text: str, box: Box, start: int, sides: Mapping[int, Box]) -> tuple[Piece, ...]:
    """Cut a line into pieces within which usual character widths predict each word's position. Return no pieces if one
    is enough.

    `sides` maps indexes of characters to their boxes; `start` is the index of the line's first character. A line that
    runs to the left although its script does not, as on a rotated page, gets at least two pieces.
    """
    spans = [match.span() for match in _WORD.finditer(text)]
    if len(spans) < 2 or box[3] - box[1] > box[2] - box[0]:
        return ()
    first = [sides[start + begin] for begin, _ in spans if start + begin in sides]
    last = [sides[start + end - 1] for _, end in spans if start + end - 1 in sides]
    if not len(first) == len(last) == len(spans):
        return ()
    leftward = first[-1][2] < first[0][0]
    begins = [box[2] - edge[2] if leftward else edge[0] - box[0] for edge in first]
    ends = [box[2] - edge[0] if leftward else edge[2] - box[0] for edge in last]
    if any(after < before for before, after in pairwise(begins)):
        return ()
    widths = list(accumulate(map(width_of, text), initial=0.0))
    words = _Words([begin for begin, _ in spans], begins, ends, [*(widths[begin] for begin, _ in spans), widths[-1]])
    char_width = (box[2] - box[0]) / len(text)
    cuts = words.cuts(0, len(spans), _MAX_OFFSET * char_width)[: _MAX_PIECES - 1]
    if not cuts and leftward and not is_right_to_left(text):
        cuts = [len(spans) // 2]
    return tuple(_boxes(words, cuts, box, _MAX_GAP * char_width, leftward=leftward)) if cuts else ()


def _boxes(words: _Words, cuts: list[int], box: Box, gap: float, *, leftward: bool) -> list[Piece]:
    pieces = []
    for first, after in zip([0, *cuts], [*cuts, None], strict=True):
        begin = words.begins[first] if first else 0.0
        end = box[2] - box[0]
        if after is not None:
            next_begin, own = words.begins[after], words.ends[after - 1]
            end = own if next_begin - own > gap else next_begin
        left, right = (box[2] - end, box[2] - begin) if leftward else (box[0] + begin, box[0] + end)
        pieces.append((words.offsets[first] if first else 0, (left, box[1], right, box[3])))
    return pieces


HYPHEN = "\x02"  # Character that PDFium returns for a hyphen at the end of a line.
_MIN_UPRIGHT_ASPECT = 2.0  # Minimum ratio of height to width of a line that runs upwards or downwards.


@dataclass(frozen=True, slots=True)
class Typed:
    """A line in a monospaced font, with a space for each empty column. Its characters are `width` points wide and start
    at `left`."""

    left: float
    baseline: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text. `text` may end with HYPHEN. `box` is on the displayed page. `size` is the height of the line's
    font in points."""

    text: str
    box: Box
    size: float
    bold: bool = False
    scattered: bool = False  # Whether it contains a wide gap, as between the cells of a row.
    has_raised_start: bool = False
    """Whether its first character is smaller than the others, like a footnote number."""

    is_note: bool = False  # Whether it belongs to a footnote.
    pieces: tuple[Piece, ...] = ()
    """Its parts, if usual character widths do not predict the positions of its words."""

    direction: int = 0
    """Clockwise rotation on the displayed page in degrees: 90 runs downwards, 180 is upside down."""

    is_stacked: bool = False
    """Whether its characters are upright and stacked from top to bottom, as in vertical Japanese."""

    typed: Typed | None = None  # Its text in columns of characters, if its font is monospaced.
    field: int | None = None  # Index of the form field that contains it.
    is_entry: bool = False  # Whether it is a form value, with or without its label.
    is_comment: bool = False
    """Whether it belongs to a comment on the page; `begins` marks the comment's first line."""

    begins: bool = False
    is_listing: bool = False  # Whether it belongs to a listing, whose lines and indents are preserved.

    @property
    def reading_box(self) -> Box:
        """The line's box after the page is rotated so that the line runs from left to right; the origin is
        unchanged."""
        return rotate_box(self.box, -self.direction) if self.direction else self.box

    @property
    def is_upright(self) -> bool:
        """Whether the line runs upwards or downwards."""
        if self.direction in (90, 270):
            return True
        left, top, right, bottom = self.box
        return bottom - top > max(_MIN_UPRIGHT_ASPECT * (right - left), 2 * self.size) and len(self.text.strip()) > 2


def usual_size(lines: Iterable[Line]) -> float:
    """Return the font size of most characters, in points; 0 if there are no lines."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"(?<![^\W\d_])(?<![^\W\d_]-)[^\W\d_]++(?:-[^\W\d_]++)*+$")
_FIRST = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HANGING_BEFORE = frozenset(("und", "oder", "bzw", "bis", "sowie", "noch", "and", "or", "to", "et", "ou"))
"""Words before which a hyphen is preserved: "Ein- und Ausgabe"."""

_FIRST_PARTS = re.compile(
    "well|ill|self|half|full|high|low|long|short|hard|old|new|far|best|first|second|third|"
    "two|three|four|five|six|seven|eight|nine|ten"
)
"""English words that start hyphenated compounds ("well-trained"); a line break after them rarely divides a word."""

_REST = re.compile(
    r"(?!(?:able|aries|ary|ened|ener|ening|hand|hood|ings?|ish|lands?|ages|lights?|lighted|lighting|lings?|ness|ship|some|"
    r"time|ways?|wards?|born|comers?|comings?|ly|er|est)(?![^\W\d_]))[^\W\d_]{4}"
)
"""The rest of such a compound. It must be a word, not an ending ("short-ages") or a part of another word
("high-lights")."""

_WIDE = re.compile(r"[\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
"""Characters of scripts that put no spaces between words (except Hangul)."""


class Words:
    """The words of a document that occur at least once without being split by a line break."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._lower: set[str] = set()

    def see(self, line: str) -> None:
        """Add the words of a line, except the first and last, which may be fragments."""
        words = _HYPHENATED.findall(line)[1:-1]
        self._seen.update(words)
        self._lower.update(word.lower() for word in words)

    def __contains__(self, word: str) -> bool:
        return word.lower() in self._lower

    def both_seen(self, last: str, first: str) -> bool:
        """Return whether both are words of the document, in this spelling."""
        return last in self._seen and first in self._seen


def join(text: str, line: str, words: Words) -> str:
    """Return the running text continued by one line. They are joined with a space, except within a divided word or
    between ideographs."""
    line = line.strip(" \t")
    if not text or not line:
        return text + line
    if text.endswith(HYPHEN):
        return text[:-1] + _bridge(text[:-1], line, words, marked=True) + line
    if text.endswith("-") and text[-2:-1].isalnum():
        return text[:-1] + _bridge(text[:-1], line, words, marked=False) + line
    if _WIDE.match(text[-1]) and _WIDE.match(line[0]):
        return text + line
    return f"{text} {line}"


def join_lines(lines: Iterable[str], words: Words) -> str:
    """Return the lines as running text."""
    text = ""
    for line in lines:
        text = join(text, line, words)
    return without_mark(text)


def without_mark(text: str) -> str:
    """Return the text with HYPHEN replaced with a plain hyphen."""
    return text.replace(HYPHEN, "-")


def _bridge(text: str, line: str, words: Words, *, marked: bool) -> str:
    """Return the text that joins the two parts: nothing, a hyphen, or a hyphen and a space."""
    last, first = _LAST.search(text), _FIRST.match(line)
    if not last or not first:
        return "-" if marked or line[0].isalnum() else "- "
    if first.group().lower() in _HANGING_BEFORE:
        return "- "
    return "" if _is_single_word(last.group(), first.group(), words, marked=marked) else "-"


def _is_single_word(last: str, first: str, words: Words, *, marked: bool) -> bool:
    if last + first in words:
        return f"{last}-{first}" not in words
    if not first[0].islower() or f"{last}-{first}" in words or not marked:
        return False
    piece, next_piece = last.rpartition("-")[2], first.partition("-")[0]
    if _FIRST_PARTS.fullmatch(piece.lower()) and _REST.match(next_piece):
        return False
    # Two words of some length, as in "high-quality", or a chain, as in "trial-and-error".
    long = min(len(piece), len(next_piece)) >= 4 or "-" in first
    return not (long and words.both_seen(piece, next_piece))
