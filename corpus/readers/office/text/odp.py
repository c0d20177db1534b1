"""ODP: each slide is a page, its shapes in reading order, speaker notes marked as notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

from corpus.readers.archives import open_archive
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.protocol import About, Elements, Heading, Page, Paragraph
from corpus.readers.markup import Node, attribute, name_of
from corpus.readers.office.slides.reading_order import Box, is_heading_like, sort_boxes
from corpus.readers.office.text.odf_styles import Styles
from corpus.readers.office.text.odt import about_of, controls_of, open_content
from corpus.readers.office.text.odt_body import Body
from corpus.readers.protocol import Step
from corpus.readers.web.css import pixels

_FURNITURE = {"page-number", "date-time", "footer", "header", "notes", "page", "handout"}
_BESIDE = {"notes", "forms", "annotation", "animations", "par", "title", "desc", "layer-set"}


def read_odp(path: Path) -> Iterator[Step]:
    """Yield blocks with slide numbers. Raises UnreadableDocument where it is damaged, locked or no ODP."""
    with open_archive(path, "ODP") as archive:
        root, body, masters = open_content(archive, "ODP", "presentation")
        about = about_of(archive)
        pages = [node for node in body if name_of(node) == "page"]
        about.page_count = len(pages)
        yield from steps_of(_elements(archive, root, masters, pages, about), about)


def _elements(archive: ZipFile, root: Node, masters: Node | None, pages: list[Node], about: About) -> Elements:
    styles = Styles([each for each in (root, masters) if each is not None])
    body = Body(archive, styles, about, controls_of(root))
    for number, page in enumerate(pages, 1):
        if _is_hidden(page, styles):
            about.warnings.append(f"Slide {number} is hidden and was left out.")
            continue
        yield Page(number)
        yield from _slide(page, body)


def _slide(page: Node, body: Body) -> Elements:
    shapes = [node for node in page if name_of(node) not in _BESIDE and attribute(node, "class") not in _FURNITURE]
    titles = [shape for shape in shapes if attribute(shape, "class") == "title"]
    for shape in titles[:1]:
        if title := " ".join(" ".join(body.text(each) for each in shape.iter("{*}p")).split()):
            yield Heading(title)
    for box in sort_boxes([_box(shape) for shape in shapes if shape not in titles[:1]]):
        yield from body.elements([box.shape])
    yield from body.elements([node for node in page if name_of(node) == "annotation"])
    notes = [
        each
        for node in page
        if name_of(node) == "notes"
        for each in node
        if name_of(each) != "page-thumbnail" and attribute(each, "class") not in _FURNITURE - {"notes"}
    ]
    if lines := [text for each in notes for line in each.iter("{*}p") if (text := body.text(line).strip())]:
        yield Heading("Notes", 2, listed=False)
        yield from map(Paragraph, lines)


def _box(shape: Node) -> Box:
    """Return a shape's box in pixels; lines have no position of their own and come first."""
    left, top, width, height = (pixels(attribute(shape, name) or "") for name in ("x", "y", "width", "height"))
    texts = ["".join(each.itertext()) for each in shape.iter("{*}p")]
    is_picture = any(name_of(each) == "image" for each in shape) and not any(text.strip() for text in texts)
    return Box(
        shape,
        left,
        top,
        left + width,
        top + height,
        is_picture=is_picture,
        is_short=is_heading_like(texts),
        length=sum(map(len, texts)),
    )


def _is_hidden(page: Node, styles: Styles) -> bool:
    return any(
        attribute(properties, "visibility") == "hidden"
        for style in styles.chain(attribute(page, "style-name"))
        for properties in style
    )
