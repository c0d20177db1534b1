"""HTML: headings, text, tables, and pictures next to the file. Scripts do not run, and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from lxml import etree, html

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import TEXT_BYTES, decode
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Figure, Heading, Paragraph, Table
from corpus.readers.markup import Node, iso_utc, name_of
from corpus.readers.office.list_numbers import format_number
from corpus.readers.pinned_file import NeighbourFiles, Pictures, file_bytes, pictures_beside
from corpus.readers.protocol import Step
from corpus.readers.typography import resolve_marks
from corpus.readers.web.visible_tree import SILENT, remove_hidden

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def tree_of(text: str) -> Node:
    """Return the root element. Raises UnreadableDocument if there is none or the tree is too deep."""
    parser = html.HTMLParser(huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(_DECLARATION.sub("", text.replace("\0", "")) or "<p></p>", parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise UnreadableDocument("contains nothing that can be read as HTML") from error
    if any("depth" in str(entry.message) for entry in parser.error_log):
        raise UnreadableDocument("its elements are nested too deeply")
    return root


_MAX_COLUMNS = 200
"""Maximum number of columns that a cell can span; _TALLEST is the maximum number of rows. HTML allows 1,000 and
65,534."""
_MAX_ROWS = 1_000

Row = tuple[str, ...]


def table_of(node: Node, text_of: Callable[[Node], str]) -> Table:
    """Convert a table. `text_of` returns the words of a cell. The text of a spanning cell is repeated in each position
    that the cell covers."""
    rows: list[Row] = []
    below: dict[int, tuple[str, int]] = {}
    head = 0
    for tr in rows_of(node):
        row = _row(tr, text_of, below)
        rows.append(row)
        if len(rows) == head + 1 and _is_head(tr):
            head += 1
    captions = [each for each in node if name_of(each) == "caption"]
    return Table(rows=tuple(rows), header=min(head, 3) or 1, caption=text_of(captions[0]) if captions else None)


def rows_of(node: Node) -> Iterator[Node]:
    """Yield the rows, without the rows of nested tables."""
    for child in node:
        if name_of(child) == "tr":
            yield child
        elif name_of(child) in ("thead", "tbody", "tfoot"):
            yield from rows_of(child)


def cells_of(row: Node) -> Iterator[Node]:
    """Yield the cells of a row."""
    return (cell for cell in row if name_of(cell) in ("td", "th"))


def _row(tr: Node, text_of: Callable[[Node], str], below: dict[int, tuple[str, int]]) -> Row:
    """Convert a row. `below` maps a column to the text of a cell that started above, and to the number of rows that it
    still spans."""
    row: list[str] = []

    def hang() -> None:
        while len(row) in below:
            text, left = below.pop(len(row))
            if left > 1:
                below[len(row)] = (text, left - 1)
            row.append(text)

    for cell in cells_of(tr):
        hang()
        if len(row) >= _MAX_COLUMNS:
            break
        text, height = text_of(cell), _span(cell, "rowspan", _MAX_ROWS)
        for _ in range(_span(cell, "colspan", _MAX_COLUMNS - len(row))):
            if height > 1:
                below[len(row)] = (text, height - 1)
            row.append(text)
    hang()
    return tuple(row)


def _is_head(tr: Node) -> bool:
    cells = list(cells_of(tr))
    return name_of(tr.getparent()) == "thead" or (bool(cells) and all(name_of(cell) == "th" for cell in cells))


def _span(cell: Node, name: str, most: int) -> int:
    value = (cell.get(name) or "").strip()
    return max(1, min(int(value), most)) if value.isdecimal() and len(value) < 6 else 1


_BLOCKS = {
    "p", "div", "section", "article", "main", "header", "footer", "aside", "blockquote", "pre", "ul", "ol", "li",
    "dl", "dt", "dd", "table", "figure", "figcaption", "form", "fieldset", "address", "details", "summary", "hr",
    "h1", "h2", "h3", "h4", "h5", "h6", "body", "html", "center", "hgroup", "tr", "td", "th", "tbody", "thead",
}  # fmt: skip
_MAX_DEPTH = 120
"""Maximum depth of elements. Deeper elements are read as plain text only."""


_BREAK = "\v"
"""Line break, represented as a word; no page text contains this character."""

_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_NUMBER_DIGITS = 9
"""Maximum number of digits in an item number, which browsers store in 32 bits."""

_GUTTER = re.compile(r"\b(?:gutter|linenos?|line-?numbers?|blob-num|lntd)\b", re.IGNORECASE)


class Flow:
    """Reads a tree in one pass. Text between block elements is joined into paragraphs."""

    def __init__(self, about: About, pictures: Pictures) -> None:
        self._about, self._pictures = about, pictures
        self._words: list[str] = []
        self._figures: list[Figure] = []
        self._mark = ""
        self._numbers: list[int] = []
        self._level = 0

    def elements(self, root: Node) -> Elements:
        """Yield the visible elements below the root. Hidden ones are removed from the tree."""
        self._about.unseen += remove_hidden(root, self._about.left_out)
        yield from self._node(root, 0)
        yield from self._flush()

    def _node(self, node: Node, depth: int) -> Elements:
        name = name_of(node)
        if name in SILENT or not name:
            return
        if name in ("br", "hr"):
            self._words.append(_BREAK)
        elif name in ("img", "image"):
            self._picture(node)
        elif self._level >= _MAX_DEPTH:
            self._words.append(node.text_content())
        else:
            self._level += 1
            yield from self._element(node, name, depth)
            self._level -= 1

    def _element(self, node: Node, name: str, depth: int) -> Elements:
        if name not in _BLOCKS:
            yield from self._children(node, depth)
        else:
            yield from self._flush()
            yield from self._block(node, name, depth)
            yield from self._flush()

    def _children(self, node: Node, depth: int) -> Elements:
        self._words.append(node.text or "")
        for child in node:
            yield from self._node(child, depth)
            self._words.append(child.tail or "")

    def _block(self, node: Node, name: str, depth: int) -> Elements:
        if re.fullmatch("h[1-6]", name):
            yield Heading(_collapse(node.text_content()), int(name[1]))
            self._figures.extend(self._figures_in(node))
        elif name == "pre":
            text = resolve_marks(_lines_of_code(node)).strip("\n")
            is_in_cell = next(node.iterancestors("td"), None) is not None
            if not (is_in_cell and re.fullmatch(r"[\d\s]+", text)):  # line numbers next to code
                yield Paragraph(text, "code")
        elif name == "table":
            yield from self._table(node, depth)
        elif name == "figure":
            yield from self._figure(node, depth)
        elif name == "li":
            self._mark = "  " * max(0, depth - 1) + self._item(node)
            yield from self._children(node, depth)
            yield from self._flush()
            self._mark = ""
        elif name == "ol":
            self._numbers.append(_start(node))
            yield from self._children(node, depth + 1)
            self._numbers.pop()
        else:
            yield from self._children(node, depth + (name == "ul"))

    def _item(self, node: Node) -> str:
        """Return the mark of a list item. Counting items as they are read takes linear time; searching back from each
        item would take quadratic time."""
        parent = node.getparent()
        if parent is None or name_of(parent) != "ol" or not self._numbers:
            return "- "
        own = node.get("value") or ""
        if own.isdecimal() and len(own) < _NUMBER_DIGITS:
            self._numbers[-1] = int(own)
        number = self._numbers[-1]
        self._numbers[-1] += -1 if parent.get("reversed") is not None else 1
        return f"{format_number(number, _FORMS.get(node.get('type') or parent.get('type') or '', 'decimal'))}. "

    def _table(self, node: Node, depth: int) -> Elements:
        """Yield a table. For a layout table, yield its content instead."""
        rows = [
            [cell for cell in cells_of(row) if not _GUTTER.search(cell.get("class") or "")] for row in rows_of(node)
        ]
        nested = any(True for _ in node.iterdescendants("table"))
        nested |= len(rows) == 1 and any(True for _ in node.iterdescendants("pre"))  # a listing next to its numbers
        if nested or all(len(cells) <= 1 for cells in rows):
            for cells in rows:
                for cell in cells:
                    yield from self._children(cell, depth)
                    yield from self._flush()
            return
        yield table_of(node, self._cell)
        yield from self._figures_in(node)

    def _cell(self, node: Node) -> str:
        return _collapse("".join(_cell_words(node)))

    def _figure(self, node: Node, depth: int) -> Elements:
        captions = [each for each in node.iter() if name_of(each) == "figcaption"]
        figures = list(self._figures_in(node))
        if not figures:  # a listing or a table with a caption
            yield from self._children(node, depth)
            return
        caption = self._cell(captions[0]) if captions else None
        for figure in figures:
            yield Figure(data=figure.data, alt=figure.alt, caption=caption or None)
        tables = (each for each in node.iter() if name_of(each) == "table")
        for table in tables:
            yield from self._table(table, depth)

    def _picture(self, node: Node) -> None:
        self._figures.extend(self._figures_in(node))

    def _figures_in(self, node: Node) -> Iterator[Figure]:
        for image in node.iter("img", "image"):
            source = image.get("src") or image.get("href") or image.get("{http://www.w3.org/1999/xlink}href")
            data = self._pictures(source or image.get("xlink:href") or "")
            if data:
                yield Figure(data=data, alt=image.get("alt") or image.get("title"))

    def _flush(self) -> Elements:
        text = "\n".join(filter(None, (_collapse(line) for line in _lines(self._words))))
        self._words = []
        if text:
            yield Paragraph(self._mark + (text.lstrip("•·▪◦ ") if self._mark else text))
            self._mark = " " * len(self._mark) if self._mark.strip() else self._mark
        yield from self._figures
        self._figures = []


def _lines(words: list[str]) -> list[str]:
    """Join words into lines, which end at break marks."""
    lines = [""]
    for word in words:
        if word == _BREAK:
            lines.append("")
        else:
            lines[-1] += word
    return lines


def _start(numbered: Node) -> int:
    start = numbered.get("start") or ""
    if start.isdecimal() and len(start) < _NUMBER_DIGITS:
        return int(start)
    if numbered.get("reversed") is not None:
        return sum(name_of(child) == "li" for child in numbered)
    return 1


def _cell_words(node: Node, level: int = 0) -> Iterator[str]:
    """Yield the words of a cell or caption."""
    is_block = name_of(node) in _BLOCKS or name_of(node) == "br"
    yield " " * is_block + (node.text or "")
    for child in node:
        if level >= _MAX_DEPTH:
            yield child.text_content()
        else:
            yield from _cell_words(child, level + 1)
        yield child.tail or ""
    yield " " * is_block


def _collapse(text: str) -> str:
    return resolve_marks(" ".join(text.split()))


def _lines_of_code(node: Node) -> str:
    """Return the text of an element, with each block element in it on a separate line."""
    parts = [node.text or ""]
    for child in node:
        inner = child.text_content()
        if name_of(child) in _BLOCKS and not inner.endswith("\n"):
            inner += "\n"
        parts += [inner, child.tail or ""]
    return "".join(parts)


_DATES = (
    "article:published_time", "date", "dc.date", "dcterms.created", "dcterms.date", "pubdate",
    "article:modified_time",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator")


def read_html(path: Path, neighbours: NeighbourFiles | None = None) -> Iterator[Step]:
    """Yield blocks with heading paths. Raises UnreadableDocument if the page is too long or nested too deeply."""
    if path.stat().st_size > TEXT_BYTES:
        raise UnreadableDocument(f"a page of more than {TEXT_BYTES // 1_000_000} MB")
    text, warnings = decode(file_bytes(path, TEXT_BYTES))
    root = tree_of(text)
    about = about_page(root)
    about.warnings.extend(warnings)
    yield from steps_of(Flow(about, pictures_beside(neighbours or NeighbourFiles(path.parent))).elements(root), about)


def about_page(root: Node) -> About:
    """Return the metadata in the head of a page."""
    meta_values: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        meta_values.setdefault(name, (meta.get("content") or "").strip())
    title = root.find(".//head/title")
    return About(
        title=(title.text_content().strip() if title is not None else "") or meta_values.get("og:title") or None,
        author=_first(meta_values, _AUTHORS),
        document_date=_date(_first(meta_values, _DATES)),
    )


def _first(values: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((values[name] for name in names if values.get(name)), None)


def _date(text: str | None) -> str | None:
    try:
        return iso_utc(datetime.fromisoformat(text)) if text else None
    except ValueError:
        return None
