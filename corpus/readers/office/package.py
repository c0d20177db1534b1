"""Relationships in an office document that the library reading it ignores, and the objects they lead to."""

from __future__ import annotations

import io
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

from corpus.errors import UnreadableDocument
from corpus.readers.archives import read_entry
from corpus.readers.elements.element import Element, Figure, Paragraph, Table
from corpus.readers.markup import Node, attribute, name_of, parse_count, parse_xml
from corpus.readers.office.number_format import format_value

_PROPERTIES = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"


def related_parts(archive: ZipFile, part: str, kind: str) -> Iterator[str]:
    """Yield the names of the internal parts to which `part` has a relationship of that kind."""
    folder, name = posixpath.split(part)
    data = read_entry(archive, f"{folder}/_rels/{name}.rels")
    try:
        relations = parse_xml(data) if data else ()
    except UnreadableDocument:
        return
    for relation in relations:
        target = relation.get("Target") or ""
        if (relation.get("Type") or "").endswith(f"/{kind}") and relation.get("TargetMode") != "External":
            yield part_at(folder, target)


def part_at(folder: str, target: str) -> str:
    """Resolve `target`, given in a relationship of a part in `folder`, to the name of the target part."""
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def has_properties(package: Any) -> bool:
    """Return whether a python-docx or python-pptx package really contains properties; if they are missing, the
    libraries create default ones."""
    try:
        package.part_related_by(_PROPERTIES)
    except KeyError:
        return False
    return True


T = TypeVar("T")


def open_repaired(path: Path, archive: ZipFile, open_package: Callable[[str | IO[bytes]], T]) -> T:
    """Open a file with the library. If that fails, open a copy without relationships to missing parts. Raises the
    errors of `open_package`."""
    try:
        return open_package(str(path))
    except KeyError:  # both libraries look up parts by name
        return open_package(_without_dead_relations(archive))


def _without_dead_relations(archive: ZipFile) -> IO[bytes]:
    names = set(archive.namelist())
    copy = io.BytesIO()
    with ZipFile(copy, "w", ZIP_DEFLATED, compresslevel=1) as whole:
        for name in names:
            data = archive.read(name)
            whole.writestr(name, _without_dead(name, data, names) if name.endswith(".rels") else data)
    copy.seek(0)
    return copy


def _without_dead(name: str, data: bytes, names: set[str]) -> bytes:
    """Return a relationships part without the relationships to missing parts."""
    folder = posixpath.dirname(posixpath.dirname(name))
    root = parse_xml(data)
    for relation in list(root):
        is_inside = relation.get("TargetMode") != "External"
        if is_inside and part_at(folder, relation.get("Target") or "") not in names:
            root.remove(relation)
    return bytes(etree.tostring(root))


_MAX_POINTS = 2_000
"""Maximum number of points in a series; nobody reads more in a table."""
_MEANINGFUL_FORMAT = re.compile(r"%|[ymdhs]{1,4}[-/.:\s]|\[\$|[€$£¥]", re.IGNORECASE)
"""Number formats that change the meaning of a number: percentages, dates, currencies. Other formats only round it."""


def chart_table(data: bytes) -> Table | None:
    """Return the cached values of a chart part as a table, or None if it has none. Raises UnreadableDocument if the
    part is not XML."""
    root = parse_xml(data)
    series = [node for node in root.iter("{*}ser") if isinstance(node.tag, str)]
    columns = [
        (
            _name(each, number),
            _with_shares(each, _points(each, "val", "yVal", code=_label_format(root, each))),
        )
        for number, each in enumerate(series, 1)
    ]
    columns = [column for column in columns if column[1]]
    if not columns:
        return None
    categories = _points(series[0], "cat", "xVal")
    count = min(_MAX_POINTS, 1 + max(max(points) for _, points in columns))
    rows = [("", *(name for name, _ in columns))]
    for index in range(count):
        label = categories.get(index, str(index + 1))
        rows.append((label, *(points.get(index, "") for _, points in columns)))
    return Table(rows=tuple(rows), caption=f"Chart: {_title(root) or _axes(root) or 'without title'}")


def chart_title(data: bytes) -> str:
    """Return the title of a chart part or, without one, the titles of its axes. Raises UnreadableDocument if the part
    is not XML."""
    root = parse_xml(data)
    return _title(root) or _axes(root)


def _name(series: Node, number: int) -> str:
    title = series.find("{*}tx")
    return _text(title) or f"Series {number}"


def _title(root: Node) -> str:
    title = root.find(".//{*}chart/{*}title")
    return "" if title is None else _text(title)


def _axes(root: Node) -> str:
    return ", ".join(filter(None, (_text(axis) for axis in root.findall(".//{*}plotArea/*/{*}title"))))


def _text(node: Node | None) -> str:
    if node is None:
        return ""
    words = (each.text for each in node.iter() if name_of(each) in ("t", "v") and each.text)
    return " ".join(" ".join(words).split())


def _label_format(root: Node, series: Node) -> str:
    """Return the number format of a series' labels or, without one, that of the value axis if the axis has its own
    format."""
    for node in (series, series.getparent(), root.find(".//{*}plotArea/{*}valAx")):
        format_ = None if node is None else node.find("{*}numFmt")
        if format_ is None and node is not None:
            format_ = node.find("{*}dLbls/{*}numFmt")
        if format_ is not None and format_.get("sourceLinked") not in ("1", "true"):
            return format_.get("formatCode") or ""
    return ""


def _with_shares(series: Node, points: dict[int, str]) -> dict[int, str]:
    """Append percentages to the values of a pie chart if its labels show them."""
    plot = series.getparent()
    if plot is None or name_of(plot) not in ("pieChart", "pie3DChart", "doughnutChart", "ofPieChart"):
        return points
    labels = [*plot.findall("{*}dLbls"), *series.findall("{*}dLbls")]
    if not any(each.get("val") in ("1", "true") for label in labels for each in label.iterfind("{*}showPercent")):
        return points
    try:
        values = {place: float(text) for place, text in points.items()}
    except ValueError:
        return points
    whole = sum(values.values())
    if whole <= 0 or min(values.values()) < 0:
        return points
    return {place: f"{points[place]} ({100 * value / whole:.0f}%)" for place, value in values.items()}


def _points(series: Node, *names: str, code: str = "") -> dict[int, str]:
    """Return cached points, keyed by index; for categories with several levels, those of the innermost level. `code`
    overrides the number format of the points."""
    for name in names:
        holder = series.find(f"{{*}}{name}")
        if holder is None:
            continue
        levels = holder.findall(".//{*}lvl")
        own = holder.find(".//{*}numCache/{*}formatCode")
        form = code if "%" in code or own is None else own.text or ""
        points: dict[int, str] = {}
        for point in (levels[0] if levels else holder).iter("{*}pt"):
            place, value = parse_count(point.get("idx"), _MAX_POINTS, _MAX_POINTS), point.find("{*}v")
            if place < _MAX_POINTS and value is not None and value.text:
                points[place] = _point_text(value.text.strip(), point.get("formatCode") or form)
        return points
    return {}


def _point_text(text: str, code: str = "") -> str:
    """Return a number without floating-point noise, in its format only if the format changes its meaning."""
    try:
        if _MEANINGFUL_FORMAT.search(code):
            return format_value(float(text), code) or text
        return f"{float(text):.12g}" if len(text) > 12 and "." in text else text
    except (ValueError, OverflowError):
        return text


_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def objects_of(drawing: Node, part: Any) -> Iterator[Element]:
    """Yield the objects in a drawing, except text boxes. External files are ignored."""
    alt = _alt(drawing)
    for node in drawing.iter():
        match name_of(node):
            case "txbxContent":
                return  # the paragraphs of a text box are read separately
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
    """Return the text of a SmartArt diagram, one line per shape. Raises UnreadableDocument if the part is not XML."""
    lines = []
    for point in parse_xml(data).iter("{*}pt"):
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
