"""OpenDocument text and slides (ODT, ODP). The XML is read in display order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import open_archive, read_entry
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Heading, Page, Paragraph
from corpus.readers.markup import Node, attribute, iso_utc, name_of, parse_xml
from corpus.readers.office.slide_order import Box, is_heading_like, sort_boxes
from corpus.readers.office.text.odf_styles import Styles
from corpus.readers.office.text.odt_body import Body
from corpus.readers.office.text.running_lines import running_line
from corpus.readers.protocol import Step
from corpus.readers.web.css import pixels


def read_odt(path: Path) -> Iterator[Step]:
    """Yield blocks with heading paths. Raises UnreadableDocument if the file is damaged, encrypted or not in ODT
    format."""
    with open_archive(path, "ODT") as archive:
        root, body, masters = open_content(archive, "ODT", "text")
        about = about_of(archive)
        yield from steps_of(_text_elements(archive, root, masters, body, about), about)


def open_content(archive: ZipFile, kind: str, body_name: str) -> tuple[Node, Node, Node | None]:
    """Return the roots of the content, its body and the styles. The styles are None if they are missing or damaged.

    Raises UnreadableDocument if the content is missing, damaged or encrypted.
    """
    damaged = UnreadableDocument(f"damaged: it cannot be read as an {kind}")
    content = read_entry(archive, "content.xml")
    if content is None:
        raise damaged
    if b"manifest:encryption-data" in (read_entry(archive, "META-INF/manifest.xml") or b""):
        raise UnreadableDocument("encrypted, needs a password")
    styles = read_entry(archive, "styles.xml")
    root = parse_xml(content)
    body = root.find(f"{{*}}body/{{*}}{body_name}")
    if body is None:
        raise damaged
    try:
        return root, body, parse_xml(styles) if styles else None
    except UnreadableDocument:
        return root, body, None


def _text_elements(archive: ZipFile, root: Node, masters: Node | None, text: Node, about: About) -> Elements:
    styles = Styles([each for each in (root, masters) if each is not None])
    deleted = (
        each
        for each in root.iter("{*}deletion")
        if any("".join(part.itertext()).strip() for part in each.iter("{*}p", "{*}h"))
    )
    about.left_out["deleted passage"] += sum(1 for _ in deleted)
    yield from _running(archive, masters, root, styles, about, "header")
    yield from Body(archive, styles, about, controls_of(root), on_white=True).elements(text)
    yield from _running(archive, masters, root, styles, about, "footer")


def _running(archive: ZipFile, masters: Node | None, root: Node, styles: Styles, about: About, kind: str) -> Elements:
    """Yield the headers or footers of the page styles in use, each text once and without page numbers."""
    body = Body(archive, styles, about)
    lines_seen: dict[str, None] = {}
    for page in _pages_in_use(masters, root):
        for node in page:
            if name_of(node).split("-")[0] == kind and attribute(node, "display") != "false":
                lines = (running_line(body.text(each)) for each in node.iter("{*}p", "{*}h"))
                lines_seen.update(dict.fromkeys(filter(None, lines)))
    yield from (Paragraph(f"{kind.capitalize()}: {line}") for line in lines_seen)


def _pages_in_use(masters: Node | None, root: Node) -> list[Node]:
    pages = [] if masters is None else list(masters.iter("{*}master-page"))
    used = {
        attribute(style, "master-page-name")
        for each in (root, masters)
        if each is not None
        for style in each.iter("{*}style")
    }
    used |= {"Standard"} | {attribute(page, "name") for page in pages[:1]}
    used |= {attribute(page, "next-style-name") for page in pages if attribute(page, "name") in used}
    return [page for page in pages if attribute(page, "name") in used]


def controls_of(root: Node) -> dict[str, str]:
    """Return the displayed content of form fields, keyed by id: ticks with their labels, and values."""
    texts = {}
    for node in root.iter("{*}checkbox", "{*}radio", "{*}text", "{*}textarea", "{*}listbox", "{*}combobox"):
        if attribute(node, "control-implementation") is None and attribute(node, "id") is None:
            continue
        label, state = (
            attribute(node, "label") or "",
            attribute(node, "current-state") or attribute(node, "state"),
        )
        value = attribute(node, "current-value") or attribute(node, "value") or ""
        if name_of(node) in ("checkbox", "radio"):
            ticked = state == "checked" or attribute(node, "current-selected") == "true"
            value = f"{'☒' if ticked else '☐'} {label}".strip()
        elif name_of(node) == "listbox":
            selected = (each for each in node if attribute(each, "current-selected") == "true")
            value = ", ".join(attribute(each, "label") or "" for each in selected)
        texts[attribute(node, "id") or ""] = value
    return texts


def about_of(archive: ZipFile) -> About:
    """Return the metadata of a file. Raises UnreadableDocument if the metadata part is not XML."""
    data = read_entry(archive, "meta.xml")
    values: dict[str, str] = {}
    for node in parse_xml(data).iter() if data else ():
        values.setdefault(name_of(node), (node.text or "").strip())
    try:
        date = iso_utc(datetime.fromisoformat((values.get("creation-date") or values.get("date") or "")[:19]))
    except ValueError:
        date = None
    author = values.get("initial-creator") or values.get("creator")
    return About(title=values.get("title") or None, author=author or None, document_date=date)


_FURNITURE = {"page-number", "date-time", "footer", "header", "notes", "page", "handout"}
_BESIDE = {"notes", "forms", "annotation", "animations", "par", "title", "desc", "layer-set"}


def read_odp(path: Path) -> Iterator[Step]:
    """Yield blocks with slide numbers. Raises UnreadableDocument if the file is damaged, encrypted or not in ODP
    format."""
    with open_archive(path, "ODP") as archive:
        root, body, masters = open_content(archive, "ODP", "presentation")
        about = about_of(archive)
        pages = [node for node in body if name_of(node) == "page"]
        about.page_count = len(pages)
        yield from steps_of(_slides(archive, root, masters, pages, about), about)


def _slides(archive: ZipFile, root: Node, masters: Node | None, pages: list[Node], about: About) -> Elements:
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
    """Return the box of a shape in pixels. Lines have no position of their own and come first."""
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
