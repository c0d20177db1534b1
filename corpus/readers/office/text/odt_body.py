"""The body of an OpenDocument text or slide as elements, in reading order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import read_entry
from corpus.readers.elements.element import (
    About,
    Element,
    Elements,
    Figure,
    Heading,
    Paragraph,
    Table,
    is_code_paragraph,
)
from corpus.readers.formulas import mathml_text
from corpus.readers.markup import Node, attribute, name_of, parse_count, parse_xml
from corpus.readers.office.text.odf_styles import ListNumbers, Styles
from corpus.readers.office.text.running_lines import PAGE_NUMBER
from corpus.readers.typography import decode_symbols, end_mark, resolve_marks, start_mark, strip_marks

MakeElement = Callable[[str], Element]

_PICTURE_BYTES = 50_000_000
"""Maximum size of a picture, in bytes."""
_HOLDERS = {"section", "text-box", "list-header", "index-body", "frame", "a", "g", "list-item"}
_CAPTIONS = {"caption", "figure", "illustration", "table", "drawing", "abbildung", "tabelle"}
_NOTHING = {"note-citation", "annotation-end", "tracked-changes", "forms", "sequence-decls", "ruby-text"}
_PAGE_FIELDS = {"page-number", "page-count", "date", "time", "print-date"}
_SHAPES = {"text-box", "custom-shape", "rect", "ellipse", "polygon", "path", "line", "connector", "caption"}
_MAX_COLUMNS = 500
"""Maximum number of columns that are read from a table; _TALLEST is the maximum number of rows."""
_MAX_ROWS = 1_000
_MAX_DEPTH = 40
"""Maximum depth of nested elements. Python's recursion limit is not much higher."""
_MAX_HEADING_LEVEL = 10
"""Maximum heading level: the outline of OpenDocument has ten levels."""


class Body:
    """Reads a body in one pass. Hidden content is counted in `about`. `controls` maps the ids of form fields to their
    content.

    With `on_white`, white text counts as hidden, except in tables and shapes, which may be coloured.
    """

    def __init__(
        self,
        archive: ZipFile,
        styles: Styles,
        about: About,
        controls: dict[str, str] | None = None,
        *,
        on_white: bool = False,
    ) -> None:
        self._archive, self._styles, self._about, self._controls = archive, styles, about, controls or {}
        self._numbers = ListNumbers(styles)
        self._hanging: list[Element] = []
        self._behind_table: list[Element] = []
        self._in_table = 0
        self._on_white = on_white and not styles.has_grounds
        self._is_white = self._is_tiny = False
        self._font = ""

    def elements(self, parent: Iterable[Node], depth: int = 0) -> Elements:
        """Yield the elements in the children of the body, a section, a list or a frame."""
        for is_code, group in groupby(self._children(parent, depth), key=is_code_paragraph):
            if is_code:
                lines = "\n".join(each.text for each in group if isinstance(each, Paragraph))
                if lines.strip():
                    yield Paragraph(lines.strip("\n").rstrip(), "code")
            else:
                yield from group

    def text(self, node: Node) -> str:
        """Return the text of a paragraph, without the pictures and notes attached to it."""
        text = resolve_marks("".join(self._words(node, 0)))
        self._hanging = []
        return text

    def _children(self, parent: Iterable[Node], depth: int) -> Elements:
        for node in parent if depth < _MAX_DEPTH else ():
            match name_of(node):
                case "h":
                    level = attribute(node, "outline-level") or ""
                    yield from self._finish_paragraph(
                        node, partial(Heading, level=max(1, parse_count(level, _MAX_HEADING_LEVEL)))
                    )
                case "p":
                    yield from self._finish_paragraph(node, self._paragraph(node))
                case "list":
                    yield from self._list(node, depth)
                case "table":
                    yield from self._table(node, depth)
                case _ if _is_hidden(node):
                    self._about.unseen += bool("".join(node.itertext()).strip())
                case (
                    "frame"
                    | "g"
                    | "control"
                    | "annotation"
                    | "custom-shape"
                    | "rect"
                    | "ellipse"
                    | "polygon"
                    | "path"
                    | "line"
                    | "connector"
                ):
                    before, self._hanging = self._hanging, []
                    text = resolve_marks("".join(self._inline(node, depth))).strip()
                    after, self._hanging = self._hanging, before
                    if text:
                        yield Paragraph(text)
                    yield from after
                case name if name in _HOLDERS:
                    yield from self.elements(node, depth + 1)

    def _paragraph(self, node: Node) -> MakeElement:
        name = attribute(node, "style-name")
        if self._styles.look(name).is_code:
            return partial(Paragraph, role="code")
        name = self._styles.source_name(name) or ""
        if name == "Title":
            return self._title
        return partial(Paragraph, role="caption" if name.lower() in _CAPTIONS else "text")

    def _title(self, text: str) -> Element:
        self._about.title = self._about.title or text
        return Paragraph(text)

    def _finish_paragraph(self, node: Node, make: MakeElement) -> Elements:
        element = make(resolve_marks("".join(self._words(node, 0))).rstrip())
        hanging, self._hanging = self._hanging, []
        if is_code_paragraph(element):
            yield element
        elif isinstance(element, Paragraph | Heading) and element.text.strip():
            yield make(element.text.strip())
        if self._in_table:
            self._behind_table += [each for each in hanging if _is_aside(each)]
            hanging = [each for each in hanging if not _is_aside(each)]
        yield from hanging

    def _words(self, node: Node, depth: int) -> Iterator[str]:
        """Yield visible text. Attached pictures, boxes and notes are stored until the paragraph ends."""
        look = self._styles.look(attribute(node, "style-name"))
        if look.is_hidden or (name_of(node) in ("p", "h") and any(map(_is_hidden, node.iter("{*}hidden-paragraph")))):
            self._about.unseen += bool("".join(node.itertext()).strip())
            return
        if look.is_struck:
            self._about.left_out["struck passage"] += bool("".join(node.itertext()).strip())
            return
        position = look.position if name_of(node) in ("span", "a") else None
        yield start_mark(position) if position else ""
        around = self._is_white, self._is_tiny, self._font
        self._font = look.font or self._font
        self._is_white = self._is_white if look.is_white is None else look.is_white and self._on_white
        self._is_tiny = self._is_tiny if look.is_tiny is None else look.is_tiny
        yield self._visible(node.text)
        for child in node if depth < _MAX_DEPTH else ():
            yield from self._inline(child, depth)
            yield self._visible(child.tail)
        self._is_white, self._is_tiny, self._font = around
        yield end_mark() if position else ""

    def _visible(self, text: str | None) -> str:
        """Return the text between two elements; empty if it is white or tiny."""
        if (self._is_white or self._is_tiny) and text and text.strip():
            self._about.unseen += 1
            return ""
        return decode_symbols(_collapse(text), self._font)

    def _inline(self, child: Node, depth: int) -> Iterator[str]:
        if _is_hidden(child):
            self._about.unseen += bool("".join(child.itertext()).strip())
            return
        match name_of(child):
            case "s":
                yield " " * parse_count(attribute(child, "c") or "1", 50)
            case "tab":
                yield "\t"
            case "line-break":
                yield "\n"
            case "note":
                text = " ".join(self._paragraphs(each) for each in child.iter("{*}note-body")).strip()
                self._hanging.append(Paragraph(f"Note: {text}"))
            case "annotation":
                self._comment(child)
            case "control":
                yield self._controls.get(attribute(child, "control") or "", "")
            case name if name in _PAGE_FIELDS:
                yield PAGE_NUMBER if name.startswith("page") else "".join(child.itertext())
            case name if name in _SHAPES or name in ("frame", "g"):
                formula = self._formula(child)
                yield formula
                if not formula:
                    before, self._hanging = self._hanging, []
                    around = self._on_white, self._is_white
                    self._on_white = self._is_white = False
                    self._hanging = [*before, *self._frame(child, depth + 1)]
                    self._on_white, self._is_white = around
            case name if name not in _NOTHING:
                yield from self._words(child, depth + 1)

    def _comment(self, node: Node) -> None:
        author = " ".join(" ".join(each.text or "" for each in node.iterfind("{*}creator")).split())
        if text := self._paragraphs(node):
            self._hanging.append(Paragraph(f"Comment ({author}): {text}" if author else f"Comment: {text}"))

    def _paragraphs(self, node: Node) -> str:
        """Return the text of a note on one line."""
        words = (resolve_marks("".join(self._words(each, _MAX_DEPTH - 5))) for each in node.iter("{*}p"))
        return " ".join(" ".join(words).split())

    def _formula(self, frame: Node) -> str:
        root = self._object(frame)
        return f" {mathml_text(root)} " if root is not None and name_of(root) == "math" else ""

    def _object(self, frame: Node) -> Node | None:
        """Return the content of the object embedded in a frame: a formula or chart."""
        for node in frame:
            if name_of(node) != "object":
                continue
            inner = [child for child in node if name_of(child) in ("math", "document")]
            if inner:
                return inner[0]
            address = (attribute(node, "href") or "").removeprefix("./")
            data = read_entry(self._archive, f"{address}/content.xml") if address else None
            try:
                return parse_xml(data) if data else None
            except UnreadableDocument:
                return None
        return None

    def _frame(self, frame: Node, depth: int) -> Elements:
        """Yield a picture, a chart, or a text box, which may contain a picture with its caption."""
        if depth >= _MAX_DEPTH:
            return
        chart = self._object(frame)
        if chart is not None and (tables := [each for each in chart.iter("{*}table") if len(each)]):
            titles = [" ".join("".join(each.itertext()).split()) for each in chart.iter("{*}title")]
            rows = tuple(tuple(" ".join("".join(cell.itertext()).split()) for cell in row) for row in _rows(tables[0]))
            yield Table(rows=rows, caption=f"Chart: {titles[0] if titles else 'without title'}")
            return
        images = [each for each in frame if name_of(each) == "image"]
        if images:
            yield from self._figure(images[0])
        elif name_of(frame) in _SHAPES:
            yield from self.elements(frame, max(depth, _MAX_DEPTH // 2))
        else:
            for each in frame:
                if name_of(each) in _SHAPES or name_of(each) in ("frame", "g"):
                    yield from self._frame(each, depth + 1)
                elif name_of(each) == "table":
                    yield from self._table(each, depth)

    def _figure(self, image: Node) -> Elements:
        address = attribute(image, "href") or ""
        data = read_entry(self._archive, address.removeprefix("./"), _PICTURE_BYTES) if address else None
        frame = image.getparent()
        words = [each.text for each in frame if name_of(each) in ("desc", "title") and each.text]
        if data:
            yield Figure(data=data, alt=words[-1] if words else None)

    def _list(self, node: Node, depth: int) -> Elements:
        outer = [node, *(each for each in node.iterancestors() if name_of(each) == "list")]
        style = next((name for each in outer if (name := attribute(each, "style-name"))), "")
        goes_on = attribute(node, "continue-numbering") == "true" or attribute(node, "continue-list") is not None
        self._numbers.begin(style, len(outer), goes_on=goes_on)
        for item in node:
            words = next((name_of(child) for child in item if isinstance(child.tag, str)), "")
            mark = "  "
            if name_of(item) == "list-item" and words != "list":
                mark = self._numbers.mark(style, len(outer), attribute(item, "start-value"))
            for element in self.elements(item, depth + 1):
                if isinstance(element, Paragraph):
                    element, mark = Paragraph(mark + element.text), "  "  # noqa: PLW2901
                yield element

    def _table(self, node: Node, depth: int) -> Elements:
        rows: list[list[str]] = []
        figures: list[Element] = []
        spans: list[tuple[int, int, int, int]] = []
        head = 0
        self._in_table += 1
        on_white, self._on_white = self._on_white, False
        for row in _rows(node):
            if attribute(row, "visibility") in ("collapse", "filter"):
                self._about.unseen += bool("".join(row.itertext()).strip())
                continue
            cells: list[str] = []
            for cell in row:
                if name_of(cell) not in ("table-cell", "covered-table-cell"):
                    continue
                elements = list(self.elements(cell, depth + 1))
                figures.extend(each for each in elements if isinstance(each, Figure))
                wide, high = (
                    parse_count(attribute(cell, f"number-{what}-spanned"), _MAX_ROWS) for what in ("columns", "rows")
                )
                if wide > 1 or high > 1:
                    spans.append((len(rows), len(cells), high, wide))
                count = parse_count(attribute(cell, "number-columns-repeated") or "1", _MAX_COLUMNS)
                cells.extend([" ".join(map(_line, elements)).strip()] * count)
            head += name_of(row.getparent()) == "table-header-rows"
            count = parse_count(attribute(row, "number-rows-repeated"), _MAX_ROWS) if any(cells) else 1
            rows.extend(list(cells[:_MAX_COLUMNS]) for _ in range(count))
        self._in_table -= 1
        self._on_white = on_white
        for down, across, high, wide in spans:
            for row in rows[down : down + high]:
                row[across : across + wide] = [rows[down][across]] * len(row[across : across + wide])
        yield Table(rows=tuple(map(tuple, rows)), header=head or 1)
        yield from figures
        if not self._in_table:
            behind, self._behind_table = self._behind_table, []
            yield from behind


def _rows(table: Node) -> Iterator[Node]:
    """Yield the rows of a table, without the rows of nested tables."""
    for child in table:
        if name_of(child) == "table-row":
            yield child
        elif name_of(child) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(child)


def _line(element: Element) -> str:
    match element:
        case Paragraph() | Heading():
            return " ".join(element.text.split())
        case Table():
            return "; ".join(", ".join(filter(None, row)) for row in element.rows)
    return ""


def _collapse(text: str | None) -> str:
    return strip_marks(re.sub(r"\s+", " ", text or ""))


def _is_hidden(node: Node) -> bool:
    """Return whether an element is hidden, either always or because of its condition."""
    if attribute(node, "display") == "none":
        return True
    is_conditional = name_of(node) in ("hidden-text", "hidden-paragraph", "section")
    return is_conditional and attribute(node, "is-hidden") == "true"


def _is_aside(element: Element) -> bool:
    return isinstance(element, Paragraph) and element.text.startswith(("Comment", "Note: "))
