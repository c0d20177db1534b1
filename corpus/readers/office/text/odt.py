"""ODT: its XML is read in the order of display."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import open_archive, read_entry
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.protocol import About, Elements, Paragraph
from corpus.readers.markup import Node, attribute, iso_utc, name_of, parse_xml
from corpus.readers.office.headers_footers import running_line
from corpus.readers.office.text.odf_styles import Styles
from corpus.readers.office.text.odt_body import Body
from corpus.readers.protocol import Step


def read_odt(path: Path) -> Iterator[Step]:
    """Yield blocks with heading paths. Raises UnreadableDocument where it is damaged, locked or no ODT."""
    with open_archive(path, "ODT") as archive:
        root, body, masters = open_content(archive, "ODT", "text")
        about = about_of(archive)
        yield from steps_of(_elements(archive, root, masters, body, about), about)


def open_content(archive: ZipFile, kind: str, body_name: str) -> tuple[Node, Node, Node | None]:
    """Return the roots of the content, its body and the styles; None for missing or damaged styles.

    Raises UnreadableDocument for missing, damaged or encrypted content.
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


def _elements(archive: ZipFile, root: Node, masters: Node | None, text: Node, about: About) -> Elements:
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
    """Yield headers or footers of the pages in use, each text once, without page numbers."""
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
    """Return what form fields show, by id: ticks with labels, and values."""
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
    """Return a file's metadata. Raises UnreadableDocument where that part is no XML."""
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
