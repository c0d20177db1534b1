"""The body of an ODT as elements, in reading order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from zipfile import ZipFile

from corpus.readers.archives import entry
from corpus.readers.elements.protocol import About, Element, Elements, Figure, Heading, Paragraph, Table
from corpus.readers.markup import Node, attribute, counted, name_of

Made = Callable[[str], Element]

_PICTURE_BYTES = 50_000_000
_HOLDERS = {"section", "text-box", "list-header", "index-body", "frame", "a", "g"}
_CAPTIONS = {"caption", "figure", "illustration", "table", "drawing", "abbildung", "tabelle"}
_NOTHING = {
    "annotation",
    "note-citation",
    "annotation-end",
    "tracked-changes",
    "forms",
    "sequence-decls",
    "ruby-text",
}
_WIDEST = 500
_DEEPEST = 40
_DEEPEST_HEADING = 10


class Body:
    """Goes through the body once; what is hidden is counted in `about`."""

    def __init__(self, archive: ZipFile, root: Node, about: About) -> None:
        self._archive, self._about = archive, about
        styles = list(root.iter("{*}style"))
        self._parents = {attribute(style, "name"): attribute(style, "parent-style-name") for style in styles}
        self._hidden = {
            attribute(style, "name")
            for style in styles
            for properties in style
            if attribute(properties, "display") == "none" and name_of(properties) == "text-properties"
        }
        self._hanging: list[Element] = []

    def elements(self, parent: Node, depth: int = 0) -> Elements:
        """What the children of the body, a section, a list or a frame show."""
        for node in parent if depth < _DEEPEST else ():
            match name_of(node):
                case "h":
                    level = attribute(node, "outline-level") or ""
                    yield from self._said(
                        node, partial(Heading, level=max(1, counted(level, _DEEPEST_HEADING)))
                    )
                case "p":
                    yield from self._said(node, self._paragraph(node))
                case "list":
                    yield from self._list(node, depth)
                case "table":
                    yield from self._table(node, depth)
                case name if name in _HOLDERS:
                    yield from self.elements(node, depth + 1)
                case "image":
                    yield from self._figure(node)

    def _paragraph(self, node: Node) -> Made:
        name = self._style(node) or ""
        if name == "Title":
            return self._title
        return partial(Paragraph, role="caption" if name.lower() in _CAPTIONS else "text")

    def _title(self, text: str) -> Element:
        self._about.title = self._about.title or text
        return Paragraph(text)

    def _style(self, node: Node) -> str | None:
        name = attribute(node, "style-name")
        return self._parents.get(name) or name if name and re.fullmatch(r"P\d+", name) else name

    def _said(self, node: Node, made: Made) -> Elements:
        text = "".join(self._words(node, 0)).strip()
        hanging, self._hanging = self._hanging, []
        if text:
            yield made(text)
        yield from hanging

    def _words(self, node: Node, depth: int) -> Iterator[str]:
        """Text as shown; what hangs on it, pictures, boxes and notes, is kept for after the paragraph."""
        if attribute(node, "style-name") in self._hidden:
            self._about.unseen += bool("".join(node.itertext()).strip())
            return
        yield " ".join(re.split(r"\s+", node.text or ""))
        for child in node if depth < _DEEPEST else ():
            yield from self._inline(child, depth)
            yield " ".join(re.split(r"\s+", child.tail or ""))

    def _inline(self, child: Node, depth: int) -> Iterator[str]:
        match name_of(child):
            case "s":
                count = attribute(child, "c") or "1"
                yield " " * counted(count, 50)
            case "tab":
                yield "\t"
            case "line-break":
                yield "\n"
            case "note":
                text = " ".join("".join(each.itertext()) for each in child.iter("{*}note-body")).strip()
                self._hanging.append(Paragraph(f"Note: {' '.join(text.split())}"))
            case "frame" | "text-box" | "g" | "custom-shape":
                before, self._hanging = self._hanging, []
                self._hanging = [*before, *self._frame(child)]
            case name if name not in _NOTHING:
                yield from self._words(child, depth + 1)

    def _frame(self, frame: Node) -> Elements:
        """A picture, or a box of text, in which the picture and its caption may lie together."""
        images = [each for each in frame if name_of(each) == "image"]
        if images:
            yield from self._figure(images[0])
        elif name_of(frame) in ("text-box", "custom-shape"):
            yield from self.elements(frame, _DEEPEST // 2)
        else:
            for each in frame:
                if name_of(each) in ("text-box", "frame", "custom-shape"):
                    yield from self._frame(each)

    def _figure(self, image: Node) -> Elements:
        address = attribute(image, "href") or ""
        data = entry(self._archive, address.removeprefix("./"), _PICTURE_BYTES) if address else None
        frame = image.getparent()
        words = [each.text for each in frame if name_of(each) in ("desc", "title") and each.text]
        if data:
            yield Figure(data=data, alt=words[-1] if words else None)

    def _list(self, node: Node, depth: int) -> Elements:
        for item in node:
            first = True
            for element in self.elements(item, depth + 1):
                if isinstance(element, Paragraph):
                    mark = "- " if first and not element.text.lstrip().startswith("- ") else "  "
                    element, first = Paragraph(mark + element.text), False  # noqa: PLW2901
                yield element

    def _table(self, node: Node, depth: int) -> Elements:
        rows: list[tuple[str, ...]] = []
        figures: list[Element] = []
        for row in node.iter("{*}table-row"):
            cells: list[str] = []
            for cell in row:
                if name_of(cell) not in ("table-cell", "covered-table-cell"):
                    continue
                elements = list(self.elements(cell, depth + 1))
                figures.extend(each for each in elements if isinstance(each, Figure))
                text = " ".join(each.text for each in elements if isinstance(each, Paragraph | Heading))
                count = attribute(cell, "number-columns-repeated") or "1"
                cells.extend([text] * counted(count, _WIDEST))
            rows.append(tuple(cells[:_WIDEST]))
        yield Table(rows=tuple(rows))
        yield from figures
