"""Objects on and around the cells of an Excel sheet: comments, text boxes, charts, pictures, page headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice
from zipfile import ZipFile

from openpyxl.utils.cell import column_index_from_string, coordinate_from_string
from openpyxl.utils.exceptions import CellCoordinatesException

from corpus.errors import UnreadableDocument
from corpus.readers.archives import read_entry
from corpus.readers.elements.element import About, Elements, Figure, Paragraph
from corpus.readers.markup import Node, attribute, name_of, parse_count, parse_xml
from corpus.readers.office.package import chart_table, chart_title, diagram_text, related_parts
from corpus.readers.office.sheets.sheet import Comment

_THREAD_AUTHOR = "tc="
"""Start of the author name in a note that represents a thread for older programs."""
_MAX_COMMENTS = 10_000
"""Maximum number of comments in a sheet; Excel is slow with even a tenth as many."""
_WHITE = {"FFFFFF", "bg1", "lt1"}
_MAX_TINY = 200
"""Largest font size that counts as unreadable: two points, in hundredths of a point."""
_FILLS = {"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"}
_PAGE_HEADS = re.compile(rb"<(?:\w{1,20}:)?((?:odd|even|first)(?:Header|Footer))\b[^>]{0,200}>([^<]{1,2000})<")
_PAGE_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[A-Za-z])')
_PAGE_NUMBER = re.compile(r"&[PN](?![a-z])")
_CONTROL = re.compile(rb"<v:shape\b([^<>]{0,5000})>")
_KIND = re.compile(rb"ObjectType=[\"'](Checkbox|Radio|Button|Label|GBox)[\"']")
_LABEL = re.compile(rb"<v:textbox\b[^<>]{0,5000}>((?:[^<]|<(?!/?v:textbox)){0,20000}+)</v:textbox>")
_TICKED = re.compile(rb"<x:Checked>\s{0,20}1\s{0,20}</x:Checked>")
_TAG = re.compile(r"<[^<>]{0,5000}>")
_MAX_CONTROLS = 1_000
"""Maximum number of form controls in a sheet."""


def comments_of(archive: ZipFile, part: str, people: dict[str, str]) -> list[Comment]:
    """Return the threads and notes of a sheet. `people` maps ids to thread authors."""
    threads: dict[str, list[tuple[str, str]]] = {}
    for root in _roots(archive, part, "threadedComment"):
        for node in root.iter("{*}threadedComment"):
            author = people.get(node.get("personId") or "", "")
            threads.setdefault(node.get("ref") or "", []).append((author, _words(node)))
    notes: dict[str, list[tuple[str, str]]] = {}
    for root in _roots(archive, part, "comments"):
        authors = [" ".join((node.text or "").split()) for node in root.iter("{*}author")]
        for node in root.iter("{*}comment"):
            place = node.get("authorId") or ""
            author = authors[int(place)] if place.isdecimal() and int(place) < len(authors) else ""
            if author.startswith(_THREAD_AUTHOR) and node.get("ref") in threads:
                continue
            author = "" if author.startswith(_THREAD_AUTHOR) or author == "None" else author
            notes.setdefault(node.get("ref") or "", []).append((author, _words(node)))
    comments = []
    for ref, texts in [*threads.items(), *notes.items()][:_MAX_COMMENTS]:
        try:
            letters, row = coordinate_from_string(ref)
            comments.append(Comment(row, column_index_from_string(letters), tuple(texts)))
        except (CellCoordinatesException, ValueError):
            continue
    return comments


def people_of(archive: ZipFile, book: str = "xl/workbook.xml") -> dict[str, str]:
    """Return the names of thread authors, keyed by id."""
    return {
        node.get("id") or "": " ".join((node.get("displayName") or "").split())
        for root in _roots(archive, book, "person")
        for node in root.iter("{*}person")
    }


def drawing_elements(archive: ZipFile, part: str, title: str, about: About) -> Elements:
    """Yield the text boxes, charts, diagrams and pictures of a sheet. Unreadable ones are counted in `about`."""
    for drawing in related_parts(archive, part, "drawing"):
        for shape in sorted(_root_of(read_entry(archive, drawing), "drawing", about), key=_anchor):
            yield from _text_boxes(shape, about)
        for data in _parts(archive, drawing, "chart"):
            yield from _chart(data, about)
        about.left_out["chart"] += sum(1 for _ in related_parts(archive, drawing, "chartEx"))
        for data in _parts(archive, drawing, "diagramData"):
            yield from _diagram(data, about)
        for data in _parts(archive, drawing, "image"):
            yield Figure(data=data, title=title)
    for data in _parts(archive, part, "vmlDrawing"):
        yield from map(Paragraph, islice(_controls(data), _MAX_CONTROLS))
    about.left_out["embedded object"] += sum(
        1 for kind in ("oleObject", "package") for _ in related_parts(archive, part, kind)
    )


def _anchor(shape: Node) -> tuple[int, int]:
    """Return the row and column of a shape's top left corner, as a sort key."""
    start = shape.find("{*}from")
    texts = [start.findtext(f"{{*}}{name}") if start is not None else None for name in ("row", "col")]
    return parse_count(texts[0], 1 << 20, 0), parse_count(texts[1], 1 << 20, 0)


def _controls(vml: bytes) -> Iterator[str]:
    """Yield the labels and ticks of form controls. The part is often malformed XML, so it is searched with regular
    expressions."""
    for shape in _CONTROL.finditer(vml):
        end = vml.find(b"</v:shape>", shape.end())
        if end < 0:
            return
        inner = vml[shape.end() : end]
        kind, label = _KIND.search(inner), _LABEL.search(inner)
        if not kind or b"visibility:hidden" in shape[1]:
            continue
        words = " ".join(unescape(_TAG.sub(" ", label[1].decode("utf-8", "replace"))).split()) if label else ""
        mark = ("☒ " if _TICKED.search(inner) else "☐ ") if kind[1] in (b"Checkbox", b"Radio") else ""
        if words:
            yield mark + words


def _root_of(data: bytes | None, kind: str, about: About) -> Node:
    try:
        return parse_xml(data) if data else ()
    except UnreadableDocument:
        about.left_out[kind] += 1
        return ()


def _chart(data: bytes, about: About) -> Elements:
    """Yield the chart values that the file caches. If it caches none, the values are in cells, so yield only the
    title."""
    try:
        table, title = chart_table(data), chart_title(data)
    except UnreadableDocument:
        table, title = None, ""
    if table:
        yield table
        return
    about.left_out["chart"] += 1
    if title:
        yield Paragraph(f"Chart: {title}")


def _diagram(data: bytes, about: About) -> Elements:
    try:
        text = diagram_text(data)
    except UnreadableDocument:
        about.left_out["diagram"] += 1
        return
    if text:
        yield Paragraph(text)


def page_heads(sheet: bytes, name: str) -> Iterator[str]:
    """Yield the text of the printed headers and footers of a sheet, without page numbers."""
    for match in _PAGE_HEADS.finditer(sheet):
        text = unescape(match[2].decode("utf-8", "replace"))
        parts = []
        for part in re.split(r"&[LCR](?![a-z])", text):
            words = _PAGE_CODE.sub("", re.sub(r"&A(?![a-z])", name, part).replace("&&", "＆")).replace("＆", "&")
            is_number = _PAGE_NUMBER.search(part) and len(re.sub(r"\W", "", words)) <= 12  # "Seite 1 von 3"
            if not is_number:
                parts.append(" ".join(words.split()))
        if any(character.isalpha() for character in "".join(parts).replace(name, "")):
            yield " – ".join(filter(None, parts))


def _text_boxes(shape: Node, about: About) -> Elements:
    if name_of(shape) == "Fallback":
        return
    if name_of(shape) != "sp":
        for child in shape:
            yield from _text_boxes(child, about)
        return
    body = shape.find("{*}txBody")
    if body is None:
        return
    properties = shape.find("{*}nvSpPr/{*}cNvPr")
    frame = shape.find("{*}spPr")
    is_filled = shape.find("{*}style") is not None or (
        frame is not None and any(name_of(child) in _FILLS for child in frame)
    )
    is_hidden = properties is not None and attribute(properties, "hidden") in ("1", "true")
    lines = []
    for paragraph in body.iter("{*}p"):
        words = ""
        for run in paragraph:
            text = "".join(node.text or "" for node in run.iter("{*}t"))
            if text.strip() and (is_hidden or _is_unseen(run, is_filled=is_filled)):
                about.unseen += 1
            else:
                words += "\n" if name_of(run) == "br" else text
        lines.append(words)
    if text := "\n".join(lines).strip():
        yield Paragraph(text)


def _is_unseen(run: Node, *, is_filled: bool) -> bool:
    """Return whether the text is tiny, or is white without a fill behind it."""
    form = run.find("{*}rPr")
    if form is None:
        return False
    size = form.get("sz") or ""
    if size.isdecimal() and int(size) <= _MAX_TINY:
        return True
    colours = [node.get("val") for node in form.iterfind("{*}solidFill/*") if not len(node)]
    return not is_filled and bool(colours) and colours[0] in _WHITE


def _parts(archive: ZipFile, part: str, kind: str) -> Iterator[bytes]:
    for name in related_parts(archive, part, kind):
        if data := read_entry(archive, name):
            yield data


def _roots(archive: ZipFile, part: str, kind: str) -> Iterator[Node]:
    for data in _parts(archive, part, kind):
        try:
            yield parse_xml(data)
        except UnreadableDocument:
            continue


def _words(node: Node) -> str:
    """Return the text of a note, without phonetic guides."""
    return "".join(
        each.text or ""
        for each in node.iter("{*}t", "{*}text")
        if each.getparent() is None or name_of(each.getparent()) != "rPh"
    )
