"""The content of a slide, shape by shape in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pptx.enum.dml import MSO_COLOR_TYPE, MSO_THEME_COLOR
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError

from corpus.errors import UnreadableDocument
from corpus.readers.archives import BROKEN
from corpus.readers.elements.element import About, Elements, Figure, Paragraph, Table
from corpus.readers.formulas import omml_text
from corpus.readers.markup import DAMAGED, Node, name_of, parse_count
from corpus.readers.office.list_numbers import format_number
from corpus.readers.office.package import blob_of, chart_table, diagram_text
from corpus.readers.office.slide_order import in_reading_order
from corpus.readers.typography import (
    decode_symbols,
    is_monospaced,
    is_symbol_font,
    mark_position,
    resolve_marks,
    strip_marks,
)

_WHITE = "FFFFFF"
_TINY = 25_400
"""Largest font size that counts as unreadable: two points, in EMU."""

_GROUNDS = ("bg1", "lt1")
Frame = tuple[int, int, int, int]
"""Left, top, right, bottom, in EMU."""


class Surroundings:
    """The size of a slide, and the areas in which filled shapes may be behind its text."""

    def __init__(self, slide: Any, size: tuple[int, int]) -> None:
        self._size = size
        layers = [slide, slide.slide_layout, slide.slide_layout.slide_master]
        self._is_white = all(_is_white(layer) for layer in layers)
        self._filled_frames = [frame for layer in layers for frame in _filled_frames(layer.shapes)]

    def is_off(self, shape: Any) -> bool:
        """Return whether a shape is completely outside the slide."""
        frame = _frame(shape)
        width, height = self._size
        return frame is not None and not (frame[0] < width and frame[2] > 0 and frame[1] < height and frame[3] > 0)

    def is_white_behind(self, shape: Any) -> bool:
        """Return whether white text in a shape would be invisible; False if the position or background is unknown."""
        frame = _frame(shape)
        if frame is None or not self._is_white or _may_be_filled(shape):
            return False
        return not any(_meet(frame, other) for other in self._filled_frames)


def is_unseen(run: Any, *, on_white: bool) -> bool:
    """Return whether the text of a run is tiny, or white on white."""
    if run.font.size is not None and run.font.size <= _TINY:
        return True
    colour = run.font.color if on_white else None
    if colour is None or colour.type is None:
        return False
    if colour.type == MSO_COLOR_TYPE.RGB:
        return str(colour.rgb) == _WHITE
    return colour.type == MSO_COLOR_TYPE.SCHEME and (
        colour.theme_color == MSO_THEME_COLOR.BACKGROUND_1 and not colour.brightness
    )


def _is_white(layer: Any) -> bool:
    """Return whether the background of a slide, layout or master is entirely white."""
    grounds = layer._element.xpath("./p:cSld/p:bg")
    if not grounds:
        return True
    colours = [*grounds[0].iter("{*}srgbClr"), *grounds[0].iter("{*}schemeClr")]
    values = [str(colour.get("val")) for colour in colours if not len(colour)]
    if len(colours) != 1 or not values or any(True for _ in grounds[0].iter("{*}blip", "{*}gradFill")):
        return False
    return values[0].upper() == _WHITE or values[0] in _GROUNDS


def _filled_frames(shapes: Iterable[Any]) -> Iterator[Frame]:
    for shape in shapes:
        frame = _frame(shape)
        if frame is not None and _may_be_filled(shape):
            yield frame


def _may_be_filled(shape: Any) -> bool:
    """Return whether a shape may have a fill: True unless it is a text frame with neither a fill nor a style."""
    if not getattr(shape, "has_text_frame", False):
        return True
    properties = shape._element.find("{*}spPr")
    if properties is None or any(True for _ in shape._element.iter("{*}style")):
        return True
    names = {str(child.tag).rpartition("}")[2] for child in properties}
    return bool(names & {"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"})


def _frame(shape: Any) -> Frame | None:
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    return (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)


def _meet(frame: Frame, other: Frame) -> bool:
    return frame[0] < other[2] and other[0] < frame[2] and frame[1] < other[3] and other[1] < frame[3]


_MAX_NUMBER = 32_767
"""Maximum list number, which is PowerPoint's own limit."""
_FORMS = {
    "arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}  # fmt: skip
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}", "Minus": "- {} -"}
_SIGN = 3
"""Maximum length, in characters, of an inserted symbol. A longer run is text that was left in a symbol font."""


def paragraphs_of(frame: Any, is_list: bool, about: About, on_white: bool) -> Elements:
    """Yield the paragraphs of a box. If a text placeholder has several, they form a list."""
    if _is_code(frame):
        lines = [_whole_text(paragraph, about, on_white).rstrip() for paragraph in frame.paragraphs]
        yield Paragraph("\n".join(lines).strip("\n"), "code")
        return
    texts = [(paragraph, text) for paragraph in frame.paragraphs if (text := text_of(paragraph, about, on_white))]
    counts: dict[int, int] = {}
    for paragraph, text in texts:
        level, bullet = paragraph.level, _bullet(paragraph._p, frame._txBody)
        for deeper in [each for each in counts if each > level]:
            del counts[deeper]
        mark = ""
        if bullet is not None and name_of(bullet) == "buAutoNum":
            counts[level] = counts.get(level, parse_count(bullet.get("startAt"), _MAX_NUMBER) - 1) + 1
            mark = _number(counts[level], bullet.get("type") or "") + " "
        else:
            counts.pop(level, None)
            is_marked = bullet is not None and name_of(bullet) in ("buChar", "buBlip")
            if is_marked or level or (is_list and len(texts) > 1 and bullet is None):
                mark = "- "
        yield Paragraph("  " * level + mark + text)


def text_of(paragraph: Any, about: About, on_white: bool = False) -> str:
    """Return the visible text of a paragraph. Hidden and struck-out text is counted in `about`."""
    return _whole_text(paragraph, about, on_white).strip()


def _is_code(frame: Any) -> bool:
    """Return whether all text is in a monospaced font."""
    runs = [
        run for run in frame._txBody.iter("{*}r") if any((text.text or "").strip() for text in run.iterfind("{*}t"))
    ]
    fonts = [run.find("{*}rPr/{*}latin") for run in runs]
    return bool(fonts) and all(font is not None and is_monospaced(font.get("typeface")) for font in fonts)


def _whole_text(paragraph: Any, about: About, on_white: bool) -> str:
    runs = {run._r: run for run in paragraph.runs}
    parts = list[str]()
    unseen, struck = False, False
    for node in paragraph._p:
        run = runs.get(node)
        text = "".join(_words(node))
        if run is not None and text.strip() and is_unseen(run, on_white=on_white):
            unseen = True
        elif _is_struck(node) and text.strip():
            about.left_out["struck passage"] += not struck
            struck = True
        else:
            struck = struck and not text.strip()
            parts.append(text)
    about.unseen += unseen
    return resolve_marks("".join(parts))


def frame_text(frame: Any, about: About) -> str:
    """Return the text of a cell or title on one line."""
    return " ".join(filter(None, (" ".join(text_of(each, about).split()) for each in frame.paragraphs)))


def _words(node: Node) -> Iterator[str]:
    match name_of(node):
        case "r" | "fld":
            text = strip_marks("".join(each.text or "" for each in node.iterfind("{*}t")))
            yield _run_text(text, node.find("{*}rPr"))
        case "br":
            yield "\n"
        case "m" | "oMath" | "oMathPara":
            yield omml_text(node)
        case "AlternateContent":
            for child in next(iter(node), ()):
                yield from _words(child)


def _run_text(text: str, properties: Node | None) -> str:
    text = text.replace("\v", "\n").replace("_x000B_", "\n")
    if properties is None:
        return text
    for name in ("latin", "sym"):
        font = properties.find("{*}" + name)
        face = None if font is None else font.get("typeface")
        if is_symbol_font(face) and (name == "latin" or (len(text.strip()) <= _SIGN and not text.strip().isascii())):
            text = decode_symbols(text, face)
            break
    moved = (properties.get("baseline") or "0").rstrip("%")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", moved) or not float(moved):
        return text
    return mark_position(text, "lowered" if moved.startswith("-") else "raised")


def _is_struck(node: Node) -> bool:
    properties = node.find("{*}rPr")
    return properties is not None and properties.get("strike") in ("sngStrike", "dblStrike")


def _bullet(paragraph: Node, body: Node) -> Node | None:
    """Return the bullet element of the paragraph, or of the list style of its box."""
    properties = paragraph.find("{*}pPr")
    level = 1 if properties is None else 1 + parse_count(properties.get("lvl"), 8, 0)
    for holder in (properties, body.find(f"{{*}}lstStyle/{{*}}lvl{level}pPr")):
        for child in () if holder is None else holder:
            if name_of(child) in ("buAutoNum", "buChar", "buBlip", "buNone"):
                return child
    return None


def _number(count: int, kind: str) -> str:
    form = next((form for start, form in _FORMS.items() if kind.startswith(start)), "decimal")
    around = next((around for end, around in _AROUND.items() if kind.endswith(end)), "{}.")
    return around.format(format_number(count, form))


BROKEN_SHAPE = (
    *BROKEN, *DAMAGED, PythonPptxError, ValueError, AttributeError, TypeError, IndexError, UnreadableDocument,
)  # fmt: skip
_FURNITURE = {PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.HEADER}
_LISTS = {PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY}
_MAX_DEPTH = 10
"""Maximum nesting depth of groups."""


def shape_elements(
    shapes: Iterable[Any], title: str | None, about: About, around: Surroundings | None, depth: int = 0
) -> Elements:
    """Yield the elements of the shapes in order, including grouped shapes. A damaged shape is skipped with a warning.

    Grouped shapes have their own coordinates, so `around` is None for them.
    """
    for shape, is_grouped in _in_order(list(shapes)):
        beside = None if is_grouped else around
        try:
            if _is_hidden(shape) or (beside and beside.is_off(shape)):
                about.unseen += bool(getattr(shape, "has_text_frame", False) and shape.text_frame.text.strip())
            else:
                yield from _shape(shape, title, about, beside, depth)
        except BROKEN_SHAPE:
            about.warnings.append("A damaged shape on a slide was skipped.")


def _in_order(shapes: list[Any]) -> list[tuple[Any, bool]]:
    """Sort shapes by position, or keep the order of the file if positions are damaged."""
    try:
        return in_reading_order(shapes)
    except BROKEN_SHAPE:
        return [(shape, False) for shape in shapes]


def _shape(shape: Any, title: str | None, about: About, around: Surroundings | None, depth: int) -> Elements:
    kind = shape.placeholder_format.type if shape.is_placeholder else None
    if kind in _FURNITURE:
        return
    if hasattr(shape, "shapes"):
        if depth < _MAX_DEPTH:
            yield from shape_elements(shape.shapes, title, about, None, depth + 1)
        return
    if shape.has_text_frame:
        on_white = around is not None and around.is_white_behind(shape)
        yield from paragraphs_of(shape.text_frame, kind in _LISTS, about, on_white)
    if shape.has_table:
        yield Table(rows=_rows(shape.table, about))
    elif shape.has_chart:
        table = chart_table(shape.chart.part.blob)
        if table:
            yield table
    else:
        yield from _drawing(shape, title)


def _rows(table: Any, about: About) -> tuple[tuple[str, ...], ...]:
    """Return the text of a table. The text of a merged cell is repeated in each position that the cell covers."""
    rows = [list(row.cells) for row in table.rows]
    texts = [["" if cell.is_spanned else frame_text(cell.text_frame, about) for cell in row] for row in rows]
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            if not cell.is_merge_origin:
                continue
            for below in texts[down : down + cell.span_height]:
                width = len(below[across : across + cell.span_width])
                below[across : across + width] = [texts[down][across]] * width
    return tuple(map(tuple, texts))


def _drawing(shape: Any, title: str | None) -> Elements:
    """Yield pictures, including pictures that fill a shape, and the text of diagrams."""
    names = shape.element.xpath("./*/p:cNvPr")
    alt = names[0].get("descr") if names else None
    for relation in _relations(shape.element, "blip", "embed"):
        data = blob_of(relation, shape.part)
        if data:
            yield Figure(data=data, alt=alt, title=title)
    for relation in _relations(shape.element, "relIds", "dm"):
        data = blob_of(relation, shape.part)
        if data and (text := diagram_text(data)):
            yield Paragraph(text)


def _relations(element: Any, tag: str, name: str) -> Iterator[str]:
    key = f"{{http://schemas.openxmlformats.org/officeDocument/2006/relationships}}{name}"
    for node in element.iter(f"{{*}}{tag}"):
        if relation := node.get(key):
            yield str(relation)


def _is_hidden(shape: Any) -> bool:
    return any(name.get("hidden") in ("1", "true") for name in shape.element.xpath("./*/p:cNvPr"))
