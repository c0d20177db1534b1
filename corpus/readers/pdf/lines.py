"""Lines of a page, each with its box, font size and weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.blocks import Box
from corpus.readers.pdf.line_pieces import Piece
from corpus.readers.pdf.shown import turned

HYPHEN = "\x02"  # PDFium's mark for a hyphen at the end of a line.
_MIN_UPRIGHT_ASPECT = 2.0  # Height by width of a line that is written upwards or downwards.


@dataclass(frozen=True, slots=True)
class Typed:
    """A line in a monospaced font of character width `width`, from `left` on, in points, with a space for each empty
    column."""

    left: float
    baseline: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text. `text` may end with HYPHEN; `box` is on the shown page; `size` is the height of its font in
    points."""

    text: str
    box: Box
    size: float
    bold: bool = False
    scattered: bool = False  # Whether it contains a wide gap, as between the cells of a row.
    has_raised_start: bool = False
    """Whether its first character is smaller than the others, as a footnote number is."""

    is_note: bool = False  # Whether it belongs to a footnote.
    pieces: tuple[Piece, ...] = ()
    """Its parts, where usual character widths do not predict the places of its words."""

    direction: int = 0
    """Clockwise rotation on the shown page in degrees: 90 runs downwards, 180 is upside down."""

    is_stacked: bool = False
    """Whether its characters stand upright below each other, as in vertical Japanese."""

    typed: Typed | None = None  # Its columns of characters, if its font is monospaced.
    field: int | None = None  # Index of the form field in which it stands.
    is_entry: bool = False  # Whether it is a form value, with or without its label.
    is_comment: bool = False
    """Whether it belongs to a comment on the page; `begins` marks the comment's first line."""

    begins: bool = False
    is_listing: bool = False  # Whether it belongs to a listing, which keeps its lines and indents.

    @property
    def reading_box(self) -> Box:
        """Its box after the page is rotated so that the line runs from left to right; the origin stays."""
        return turned(self.box, -self.direction) if self.direction else self.box

    @property
    def is_upright(self) -> bool:
        """Whether it is written upwards or downwards."""
        if self.direction in (90, 270):
            return True
        left, top, right, bottom = self.box
        return (
            bottom - top > max(_MIN_UPRIGHT_ASPECT * (right - left), 2 * self.size)
            and len(self.text.strip()) > 2
        )


def usual_size(lines: Iterable[Line]) -> float:
    """The font size of most characters, in points; 0 without lines."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0
