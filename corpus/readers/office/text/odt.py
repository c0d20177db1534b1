"""An ODT read: its XML is gone through as it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import entry, opened_archive
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements, Paragraph
from corpus.readers.markup import Node, attribute, iso_utc, name_of, parsed_xml
from corpus.readers.office.page_numbers import running_line
from corpus.readers.office.text.odf_styles import Styles
from corpus.readers.office.text.odt_body import Body
from corpus.readers.steps import Step


def read_odt(path: Path) -> Iterator[Step]:
    """Blocks with heading paths; UnreadableDocument when it is damaged, locked or no ODT."""
    with opened_archive(path, "ODT") as archive:
        root, body, masters = opened_content(archive, "ODT", "text")
        about = about_of(archive)
        yield from steps_of(_elements(archive, root, masters, body, about), about)


def opened_content(archive: ZipFile, kind: str, body_name: str) -> tuple[Node, Node, Node | None]:
    """The roots of the content, of its body and of the styles, None for styles that are missing or damaged.
    UnreadableDocument when the content is damaged or locked."""
    damaged = UnreadableDocument(f"damaged: it cannot be read as an {kind}")
    content = entry(archive, "content.xml")
    if content is None:
        raise damaged
    if b"manifest:encryption-data" in (entry(archive, "META-INF/manifest.xml") or b""):
        raise UnreadableDocument("encrypted, needs a password")
    styles = entry(archive, "styles.xml")
    root = parsed_xml(content)
    body = root.find(f"{{*}}body/{{*}}{body_name}")
    if body is None:
        raise damaged
    try:
        return root, body, parsed_xml(styles) if styles else None
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


def _running(
    archive: ZipFile, masters: Node | None, root: Node, styles: Styles, about: About, kind: str
) -> Elements:
    """What stands above or below the pages that are used, each text once, without the numbers of pages."""
    body = Body(archive, styles, about)
    said: dict[str, None] = {}
    for page in _pages_in_use(masters, root):
        for node in page:
            if name_of(node).split("-")[0] == kind and attribute(node, "display") != "false":
                lines = (running_line(body.text(each)) for each in node.iter("{*}p", "{*}h"))
                said.update(dict.fromkeys(filter(None, lines)))
    yield from (Paragraph(f"{kind.capitalize()}: {line}") for line in said)


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
    """What the fields of forms show, by id: ticks with their labels, and values."""
    shown = {}
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
            chosen = (each for each in node if attribute(each, "current-selected") == "true")
            value = ", ".join(attribute(each, "label") or "" for each in chosen)
        shown[attribute(node, "id") or ""] = value
    return shown


def about_of(archive: ZipFile) -> About:
    """What the file says of itself."""
    data = entry(archive, "meta.xml")
    said: dict[str, str] = {}
    for node in parsed_xml(data).iter() if data else ():
        said.setdefault(name_of(node), (node.text or "").strip())
    try:
        date = iso_utc(datetime.fromisoformat((said.get("creation-date") or said.get("date") or "")[:19]))
    except ValueError:
        date = None
    author = said.get("initial-creator") or said.get("creator")
    return About(title=said.get("title") or None, author=author or None, document_date=date)
