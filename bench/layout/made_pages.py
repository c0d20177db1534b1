"""Ten pages drawn by a script, each with one difficulty, so that their reading order is known.

Each page is a separate document, and its prose is drawn from a fixed vocabulary with a fixed seed. Where common
programs draw the content of a page in an order other than its reading order, so does the script.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from bench.layout.right_to_left import right_to_left_page
from bench.layout.starts import Start

Made = tuple[Path, int, tuple[Start, ...], tuple[str, ...]]

WIDTH, HEIGHT = A4
LEFT, RIGHT, MEASURE = 60.0, 310.0, 220.0
_SIZE, _STEP = 10.0, 12.5
_VOCABULARY = (
    "water valve under pressure holds steady while engineers watch gauges and write reports about every "
    "change that pumps make during long nights of quiet operation near old harbours where cold wind bends "
    "tall grass over empty roads leading towards distant hills without any sign of rain"
)


class Prose:
    """A generator of paragraphs. The first words of each paragraph differ from those of all other paragraphs on the
    page."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = _VOCABULARY.split()
        self._count = 0

    def words(self, count: int, kind: str = "paragraph", opening: str = "Passage") -> tuple[Start, list[str]]:
        self._count += 1
        first = [opening, f"{self._count:02d}", self._random.choice(self._words)]
        rest = [self._random.choice(self._words) for _ in range(max(0, count - 3))]
        return Start(" ".join(first), kind), [*first, *rest]


def made_pages(folder: Path) -> Iterator[Made]:
    """Draw the pages into the folder. Yield, for each, its path, its page number, the starts of its blocks in reading
    order, and the running lines of the document."""
    for name, draw in _PAGES.items():
        path = folder / f"{name}.pdf"
        canvas = Canvas(str(path), pagesize=A4, invariant=1)
        page, starts, running = draw(canvas)
        canvas.save()
        yield path, page, tuple(starts), tuple(running)
    yield right_to_left_page(folder / "right to left.pdf")


Drawn = tuple[int, Sequence[Start], Sequence[str]]


def set_lines(words: Sequence[str], width: float, size: float = _SIZE, font: str = "Helvetica") -> list[str]:
    """Break the words into lines of the given width."""
    canvas = Canvas("")
    rows, row = [], ""
    for word in words:
        longer = f"{row} {word}".strip()
        if row and canvas.stringWidth(longer, font, size) > width:
            rows.append(row)
            longer = word
        row = longer
    return [*rows, row]


def _put(
    canvas: Canvas, rows: Sequence[str], left: float, top: float, size: float = _SIZE, bold: bool = False
) -> float:
    """Draw the lines one below another, and return the position of the next line."""
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    for number, row in enumerate(rows):
        canvas.drawString(left, HEIGHT - top - number * size * 1.25, row)
    return top + len(rows) * size * 1.25


def _column(prose: Prose, count: int, width: float = MEASURE) -> tuple[list[Start], list[list[str]]]:
    made = [prose.words(55) for _ in range(count)]
    return [start for start, _ in made], [set_lines(words, width) for _, words in made]


def _put_column(canvas: Canvas, paragraphs: Sequence[Sequence[str]], left: float, top: float) -> float:
    for rows in paragraphs:
        top = _put(canvas, rows, left, top) + _STEP * 0.8
    return top


def _rows_across(canvas: Canvas) -> Drawn:
    """Draw two columns line by line, alternating between them."""
    prose = Prose(1)
    left_starts, left = _column(prose, 4)
    right_starts, right = _column(prose, 4)
    columns = [[row for rows in column for row in [*rows, ""]] for column in (left, right)]
    for number, (one, other) in enumerate(zip(*columns, strict=False)):
        _put(canvas, [one], LEFT, 90 + number * _STEP)
        _put(canvas, [other], RIGHT, 90 + number * _STEP)
    shorter, longer = sorted(columns, key=len)
    beside = RIGHT if longer is columns[1] else LEFT
    _put(canvas, longer[len(shorter) :], beside, 90 + len(shorter) * _STEP)
    return 1, [*left_starts, *right_starts], ()


def _side_bar(canvas: Canvas) -> Drawn:
    """Draw a narrower box on the right in a smaller font, before the text."""
    prose = Prose(2)
    main_starts, main = _column(prose, 5, 330)
    aside = [prose.words(45, opening="Aside") for _ in range(2)]
    canvas.rect(420, HEIGHT - 360, 140, 270)
    top = 110.0
    for _, words in aside:
        top = _put(canvas, set_lines(words, 120, 8), 430, top, 8) + 8
    _put_column(canvas, main, LEFT, 100)
    return 1, [*main_starts, *(start for start, _ in aside)], ()


def _footnotes(canvas: Canvas) -> Drawn:
    """Draw a paragraph that continues from the left column to the right one, with footnotes in between the two
    parts."""
    prose = Prose(3)
    left_starts, left = _column(prose, 3)
    start, words = prose.words(130)
    rows = set_lines(words, MEASURE)
    right_starts, right = _column(prose, 3)
    notes = [prose.words(18, "footnote", "Remark") for _ in range(2)]
    top = _put_column(canvas, left, LEFT, 90)
    _put(canvas, rows[:9], LEFT, top)
    canvas.line(LEFT, HEIGHT - 700, LEFT + 80, HEIGHT - 700)
    below = 712.0
    for number, (_, note) in enumerate(notes, 1):
        canvas.setFont("Helvetica", 5)
        canvas.drawString(LEFT, HEIGHT - below + 3, str(number))
        below = _put(canvas, set_lines(note, MEASURE - 8, 8), LEFT + 5, below, 8)
    top = _put(canvas, rows[9:], RIGHT, 90) + _STEP
    _put_column(canvas, right, RIGHT, top)
    rest = Start(" ".join(rows[9].split()[:3]), "continuation")
    return 1, [*left_starts, start, rest, *right_starts, *(note for note, _ in notes)], ()


def _wide_figure(canvas: Canvas) -> Drawn:
    """Draw bars across the full width in the middle of two columns. Both columns are drawn completely before the
    figure."""
    prose = Prose(4)
    parts = [_column(prose, 2) for _ in range(4)]
    for (_, rows), (left, top) in zip(
        (parts[0], parts[2], parts[1], parts[3]),
        ((LEFT, 90), (LEFT, 560), (RIGHT, 90), (RIGHT, 560)),
        strict=True,
    ):
        _put_column(canvas, rows, left, top)
    for bar in range(8):
        canvas.rect(120 + 45 * bar, HEIGHT - 490, 30, 20 + 14 * bar, fill=1)
    _put(canvas, ["Figure 1: Output of eight pumps during one year of operation near the harbour."], 110, 515)
    caption = Start("Figure 1: Output", "caption")
    return 1, [*parts[0][0], *parts[1][0], caption, *parts[2][0], *parts[3][0]], ()


def _turned(canvas: Canvas) -> Drawn:
    """Draw two columns sideways on a page that is displayed rotated by 90 degrees, so that they are upright."""
    prose = Prose(5)
    starts, columns = zip(*(_column(prose, 2, 330) for _ in range(2)), strict=True)
    canvas.setPageSize((HEIGHT, WIDTH))  # reportlab rotates the size with the page
    canvas.setPageRotation(90)
    canvas.translate(WIDTH, 0)
    canvas.rotate(90)
    for left, rows in ((440, columns[1]), (60, columns[0])):
        _put_column(canvas, rows, left, HEIGHT - WIDTH + 80)
    return 1, [*starts[0], *starts[1]], ()


def _cropped(canvas: Canvas) -> Drawn:
    """Draw a page whose crop box starts to the right of and above the corner of the paper. A printer's note is outside
    the box."""
    prose = Prose(6)
    starts, columns = zip(*(_column(prose, 3, 190) for _ in range(2)), strict=True)
    canvas.setCropBox((60, 150, 560, 800))
    _put(canvas, ["Printed by the second shift on plate seven"], LEFT, 820)
    for left, rows in ((320, columns[1]), (90, columns[0])):
        _put_column(canvas, rows, left, 100)
    return 1, [*starts[0], *starts[1]], ("Printed by the second",)


def _nested_forms(canvas: Canvas) -> Drawn:
    """Draw each column as a form within a form. Each form has its own matrix, and the right column is drawn first."""
    prose = Prose(7)
    columns = [_column(prose, 3) for _ in range(2)]
    for name, (_, rows) in zip("ab", columns, strict=True):
        canvas.beginForm(f"inner-{name}")
        _put_column(canvas, [[*each] for each in rows], 10, 20)
        canvas.endForm()
        canvas.beginForm(f"outer-{name}")
        canvas.translate(100, -40)
        canvas.scale(1.05, 1.05)
        canvas.doForm(f"inner-{name}")
        canvas.endForm()
    for name, across in (("b", 215), ("a", -50)):
        canvas.saveState()
        canvas.translate(across, 0)
        canvas.scale(0.95, 0.95)
        canvas.doForm(f"outer-{name}")
        canvas.restoreState()
    return 1, [*columns[0][0], *columns[1][0]], ()


def _upright_heads(canvas: Canvas) -> Drawn:
    """Draw a table with vertical column headers, between two paragraphs that span the page."""
    prose = Prose(8)
    starts, rows = _column(prose, 4, 470)
    top = _put_column(canvas, rows[:2], LEFT, 90)
    for number, head in enumerate(("Depth in metres", "Flow per hour", "Hours of work", "Repairs so far")):
        canvas.saveState()
        canvas.translate(220 + 60 * number, HEIGHT - top - 95)
        canvas.rotate(90)
        canvas.drawString(0, 0, head)
        canvas.restoreState()
    for number, name in enumerate(("Northern pump", "Southern pump", "Reserve pump")):
        below = top + 115 + 15 * number
        _put(canvas, [name], LEFT, below)
        for cell in range(4):
            _put(canvas, [str(17 * (number + 2) + 5 * cell)], 212 + 60 * cell, below)
    _put_column(canvas, rows[2:], LEFT, top + 190)
    table = [
        Start("Northern pump 34", "table"),
        Start("Southern pump 51", "table"),
        Start("Reserve pump 68", "table"),
    ]
    return 1, [*starts[:2], *table, *starts[2:]], ()


def _spanning_title(canvas: Canvas) -> Drawn:
    """Draw the third of four pages with a running header and page numbers. A title across two columns is drawn after
    the columns."""
    prose = Prose(9)
    for page in range(1, 5):
        starts, columns = zip(*(_column(prose, 4) for _ in range(2)), strict=True)
        heading = prose.words(4, "heading", "Chapter")
        for left, rows in ((LEFT, columns[0]), (RIGHT, columns[1])):
            _put_column(canvas, rows, left, 170)
        _put(
            canvas,
            [" ".join(heading[1]) + " from every side"],
            LEFT + 40,
            120,
            18,
            bold=True,
        )
        _put(canvas, ["The Harbour Engineer"], LEFT, 40, 9)
        _put(canvas, [f"{page + 40}"], 290, 810, 9)
        if page == 3:
            expected = [heading[0], *starts[0], *starts[1]]
        canvas.showPage()
    return 3, expected, ("The Harbour Engineer", "43")


_PAGES: dict[str, Callable[[Canvas], Drawn]] = {
    "rows across": _rows_across,
    "side bar": _side_bar,
    "footnotes": _footnotes,
    "wide figure": _wide_figure,
    "turned": _turned,
    "cropped": _cropped,
    "nested forms": _nested_forms,
    "upright heads": _upright_heads,
    "spanning title": _spanning_title,
}
