"""Office documents and books as hand-made ZIP archives."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterable, Mapping

from tests.readers.nasty.expected import SAID

Parts = Mapping[str, str | bytes]

_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument.{}.main+xml"
_STRINGS = (
    "<Override PartName='/xl/sharedStrings.xml' "
    "ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml'/>"
)
_OUTSIDE = " TargetMode='External'"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def archive(entries: Iterable[tuple[str, str | bytes]]) -> bytes:
    """Return a ZIP with these entries in order, which may have the same name twice."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as file:
        warnings.simplefilter("ignore")
        for name, data in entries:
            file.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def relations(*each: tuple[str, str, str]) -> str:
    """Return a relationships part from id, kind and target; a target with a scheme is external."""
    lines = (
        f"<Relationship Id='{key}' Type='{_R}/{kind}' Target='{target}'{_OUTSIDE * (':' in target)}/>"
        for key, kind, target in each
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f"<Relationships xmlns='{space}'>{''.join(lines)}</Relationships>"


def _package(main: str, kind: str, more: str = "") -> dict[str, str | bytes]:
    space = "http://schemas.openxmlformats.org/package/2006/content-types"
    defaults = "".join(
        f"<Default Extension='{suffix}' ContentType='{what}'/>"
        for suffix, what in (("xml", "application/xml"), ("png", "image/png"), ("bin", "application/octet-stream"),
                             ("rels", "application/vnd.openxmlformats-package.relationships+xml"))
    )  # fmt: skip
    override = f"<Override PartName='/{main}' ContentType='{_MAIN.format(kind)}'/>{more}"
    return {
        "[Content_Types].xml": f"<Types xmlns='{space}'>{defaults}{override}</Types>",
        "_rels/.rels": relations(("r1", "officeDocument", main)),
    }


def word(body: str = "", *links: tuple[str, str, str], more: Parts | None = None) -> dict[str, str | bytes]:
    """Return the parts of a DOCX that contains SAID and the given markup."""
    spaces = f"xmlns:w='{_WORD}' xmlns:r='{_R}' xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'"
    said = f"<w:p><w:r><w:t>{SAID}</w:t></w:r></w:p>"
    return _package("word/document.xml", "wordprocessingml.document") | {
        "word/document.xml": f"<w:document {spaces}><w:body>{said}{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(*links),
        **(more or {}),
    }


def sheet(rows: str, *, before: str = "", strings: str | None = None) -> dict[str, str | bytes]:
    """Return the parts of an XLSX with one sheet."""
    parts = _package("xl/workbook.xml", "spreadsheetml.sheet", "" if strings is None else _STRINGS)
    links = [("r1", "worksheet", "worksheets/sheet1.xml")]
    if strings is not None:
        links.append(("r2", "sharedStrings", "sharedStrings.xml"))
        parts["xl/sharedStrings.xml"] = f"<sst xmlns='{_SHEET}' {strings}</sst>"
    sheets = f"<sheets><sheet name='S' sheetId='1' r:id='r1' xmlns:r='{_R}'/></sheets>"
    return parts | {
        "xl/workbook.xml": f"<workbook xmlns='{_SHEET}'>{sheets}</workbook>",
        "xl/_rels/workbook.xml.rels": relations(*links),
        "xl/worksheets/sheet1.xml": f"<worksheet xmlns='{_SHEET}'>{before}<sheetData>{rows}</sheetData></worksheet>",
    }


def epub(items: str, spine: str, pages: Parts) -> bytes:
    """Return a book with this manifest and order."""
    container = "<container><rootfiles><rootfile full-path='OEBPS/c.opf'/></rootfiles></container>"
    package = f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"
    parts = {"META-INF/container.xml": container, "OEBPS/c.opf": package, **pages}
    return archive(parts.items())
