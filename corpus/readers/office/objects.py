"""Pictures, charts and diagrams of office documents, by their drawings' relationships."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpus.errors import UnreadableDocument
from corpus.readers.elements.protocol import Element, Figure, Paragraph
from corpus.readers.markup import Node, attribute, name_of, parsed_xml
from corpus.readers.office.charts import chart_table

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def objects_of(drawing: Node, part: Any) -> Iterator[Element]:
    """Yield what a drawing shows besides text boxes; external files are ignored."""
    alt = _alt(drawing)
    for node in drawing.iter():
        match name_of(node):
            case "txbxContent":
                return  # its paragraphs are read by themselves
            case "blip":
                yield from _figure(node.get(f"{_R}embed"), part, alt)
            case "imagedata":
                yield from _figure(node.get(f"{_R}id"), part, alt or node.get("title"))
            case "chart":
                yield from _chart(node.get(f"{_R}id"), part)
            case "relIds":
                yield from _diagram(node.get(f"{_R}dm"), part)


def blob_of(relation: str | None, part: Any) -> bytes | None:
    """Return the bytes of the part that a relationship leads to, or None if it is external or missing."""
    target = part.rels.get(relation) if relation else None
    if target is None or target.is_external:
        return None
    return bytes(target.target_part.blob)


def diagram_text(data: bytes) -> str:
    """Return the text of a SmartArt diagram, one shape per line. Raises UnreadableDocument where the part is no XML."""
    lines = []
    for point in parsed_xml(data).iter("{*}pt"):
        words = "".join(text.text or "" for text in point.iter("{*}t")).strip()
        lines.extend([f"- {words}"] if words else [])
    return "\n".join(lines)


def _figure(relation: str | None, part: Any, alt: str | None) -> Iterator[Element]:
    data = blob_of(relation, part)
    if data:
        yield Figure(data=data, alt=alt)


def _chart(relation: str | None, part: Any) -> Iterator[Element]:
    data = blob_of(relation, part)
    try:
        table = chart_table(data) if data else None
    except UnreadableDocument:
        return
    if table:
        yield table


def _diagram(relation: str | None, part: Any) -> Iterator[Element]:
    data = blob_of(relation, part)
    try:
        text = diagram_text(data) if data else ""
    except UnreadableDocument:
        return
    if text:
        yield Paragraph(text)


def _alt(drawing: Node) -> str | None:
    for node in drawing.iter():
        if name_of(node) in ("docPr", "shape", "cNvPr"):
            return attribute(node, "descr") or attribute(node, "alt") or attribute(node, "title")
    return None
