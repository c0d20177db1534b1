"""Repair workbooks that spreadsheet programs open and openpyxl rejects: namespaces and styles."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree
from openpyxl.styles import Border, Font
from openpyxl.styles.cell_style import CellStyle
from openpyxl.styles.fills import Fill
from openpyxl.xml.functions import fromstring

from corpus.errors import UnreadableDocument
from corpus.readers.archives import entry
from corpus.readers.markup import Node, name_of, parsed_xml

_STRICT = b"http://purl.oclc.org/ooxml/"
_SCHEMAS = b"http://schemas.openxmlformats.org/"
_USUAL = {
    _STRICT + b"spreadsheetml/main": _SCHEMAS + b"spreadsheetml/2006/main",
    _STRICT + b"officeDocument/": _SCHEMAS + b"officeDocument/2006/",
    _STRICT + b"drawingml/": _SCHEMAS + b"drawingml/2006/",
}
_KINDS = {"fonts": Font, "fills": Fill, "borders": Border, "cellXfs": CellStyle, "cellStyleXfs": CellStyle}
_UNUSED = {"dxfs", "cellStyles", "tableStyles", "colors", "extLst"}
"""Parts of the styles that do not affect what a cell shows."""

_TELLING = {"color", "strike", "vertAlign", "numFmtId", "fontId", "fillId"}
"""Decides how a cell reads and whether it is visible: kept of a style whose rest is invalid."""

_PROPERTIES = "docProps/core.xml"
_KEPT = {"workbookPr", "sheets"}


def with_usual_names(archive: ZipFile) -> IO[bytes]:
    """Return a copy of a "Strict Open XML" workbook with transitional namespaces, the only ones that openpyxl knows."""

    def renamed(_: str, data: bytes) -> bytes:
        for strict, usual in _USUAL.items():
            data = data.replace(strict, usual)
        return data

    return _copy(archive, renamed)


def is_strict(archive: ZipFile) -> bool:
    """Return whether the workbook was saved as "Strict Open XML"."""
    return _STRICT in (entry(archive, "xl/workbook.xml") or b"")


def with_plain_styles(archive: ZipFile) -> IO[bytes]:
    """Return a copy in which invalid styles keep only what decides how a cell reads."""

    def mended(name: str, data: bytes) -> bytes:
        if name not in ("xl/styles.xml", "xl/workbook.xml", _PROPERTIES):
            return data
        try:
            root = parsed_xml(data)
        except UnreadableDocument:
            return data
        if name == "xl/styles.xml":
            _mend_styles(root)
        elif name == _PROPERTIES:
            for part in [each for each in root if not is_date(each)]:
                root.remove(part)
        else:
            for part in [each for each in root if name_of(each) not in _KEPT]:
                root.remove(part)
        return bytes(etree.tostring(root))

    return _copy(archive, mended)


def _copy(archive: ZipFile, change: Callable[[str, bytes], bytes]) -> IO[bytes]:
    copy = io.BytesIO()
    with ZipFile(copy, "w", ZIP_DEFLATED) as packed:
        for name in archive.namelist():
            data = entry(archive, name) or b""
            packed.writestr(name, change(name, data) if name.endswith((".xml", ".rels")) else data)
    return copy


def _mend_styles(root: Node) -> None:
    for part in list(root):
        if name_of(part) in _UNUSED:
            root.remove(part)
        elif kind := _KINDS.get(name_of(part)):
            for style in part:
                if not _is_known(kind, style):
                    _keep_telling(style)
                    if not _is_known(kind, style):
                        _empty(style)


def is_date(part: Node) -> bool:
    """Return whether a property is no date property or a valid date; openpyxl rejects others."""
    if name_of(part) not in ("created", "modified", "lastPrinted"):
        return True
    try:
        return datetime.fromisoformat((part.text or "").strip()) is not None
    except ValueError:
        return False


def _is_known(kind: Any, style: Node) -> bool:
    try:
        return kind.from_tree(fromstring(etree.tostring(style))) is not None
    except (TypeError, ValueError, AttributeError, KeyError, IndexError):
        return False


def _keep_telling(style: Node) -> None:
    for child in [each for each in style if name_of(each) not in _TELLING]:
        style.remove(child)
    for key in [each for each in style.attrib if each not in _TELLING]:
        del style.attrib[key]
    if name_of(style) == "fill":
        etree.SubElement(style, str(style.tag).replace("}fill", "}patternFill"))


def _empty(style: Node) -> None:
    for child in list(style):
        style.remove(child)
    style.attrib.clear()
