"""Spreadsheets that declare more than they contain, or contain code."""

from __future__ import annotations

from tests.readers.nasty.expected import SAID, Nasty
from tests.readers.nasty.packages import archive, sheet

_CELL = "<c r='{}' t='inlineStr'><is><t>{}</t></is></c>"
_FIRST = f"<row r='1'>{_CELL.format('A1', SAID)}</row>"


def _xlsx(rows: str, *, before: str = "", strings: str | None = None) -> bytes:
    return archive(sheet(rows, before=before, strings=strings).items())


def _claims_all() -> bytes:
    return _xlsx(_FIRST, before="<dimension ref='A1:XFD1048576'/>")


def _last_cell() -> bytes:
    return _xlsx(_FIRST + f"<row r='1048576'>{_CELL.format('XFD1048576', 'last')}</row>")


def _beyond() -> bytes:
    return _xlsx(_FIRST + f"<row r='999999999'>{_CELL.format('A999999999', 'beyond')}</row>")


def _dde() -> bytes:
    formula = "<c r='A2' t='str'><f>cmd|'/c calc'!A0</f><v>shown</v></c><c r='B2'><f>WEBSERVICE(\"http://a\")</f></c>"
    return _xlsx(f"{_FIRST}<row r='2'>{formula}</row>")


def _strings(count: int, index: str) -> bytes:
    return _xlsx(
        f"{_FIRST}<row r='2'><c r='A2' t='s'><v>{index}</v></c></row>",
        strings=f"count='4000000000' uniqueCount='4000000000'>{'<si><t>shared</t></si>' * count}",
    )


def _open_strings() -> bytes:
    parts = sheet(_FIRST, strings="count='1'>" + "<si><t>shared</t></si>" * 1_000)
    parts["xl/sharedStrings.xml"] = str(parts["xl/sharedStrings.xml"]).removesuffix("</sst>")
    return archive(parts.items())


def _many_columns() -> bytes:
    return _xlsx("".join(f"<row r='{n}'>{_CELL.format(f'XFD{n}', 'far')}</row>" for n in range(1, 400)))


def _odd_values() -> bytes:
    """Return a workbook with impossible dates, invalid numbers, and an endless format."""
    values = ("1e300", "-1e300", "1e999", "nan", "2958466", "-1")
    cells = "".join(f"<c r='{'ABCDEF'[n]}2' s='{n % 3}'><v>{value}</v></c>" for n, value in enumerate(values))
    parts = sheet(f"{_FIRST}<row r='2'>{cells}</row>")
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    formats = f"<numFmts><numFmt numFmtId='200' formatCode='{'0' * 100_000}.{'0' * 100_000}'/></numFmts>"
    kinds = "".join(f"<xf numFmtId='{kind}' fontId='0' fillId='0' borderId='0'/>" for kind in (14, 21, 200))
    parts["xl/styles.xml"] = f"<styleSheet xmlns='{space}'>{formats}<cellXfs>{kinds}</cellXfs></styleSheet>"
    links = str(parts["xl/_rels/workbook.xml.rels"])
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
    link = f"<Relationship Id='r5' Type='{kind}' Target='styles.xml'/></Relationships>"
    parts["xl/_rels/workbook.xml.rels"] = links.replace("</Relationships>", link)
    override = (
        "<Override PartName='/xl/styles.xml' "
        "ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml'/></Types>"
    )
    parts["[Content_Types].xml"] = str(parts["[Content_Types].xml"]).replace("</Types>", override)
    return archive(parts.items())


def _ods(rows: str) -> bytes:
    spaces = " ".join(
        f"xmlns:{name}='urn:oasis:names:tc:opendocument:xmlns:{name}:1.0'" for name in ("office", "table", "text")
    )
    cell = f"<table:table-cell><text:p>{SAID}</text:p></table:table-cell>"
    body = f"<table:table table:name='T'><table:table-row>{cell}</table:table-row>{rows}</table:table>"
    content = f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
    return archive({"content.xml": f"<office:document-content {spaces}>{content}</office:document-content>"}.items())


_ALL_ROWS, _ALL_COLUMNS = "table:number-rows-repeated='1048576'", "table:number-columns-repeated='16384'"
_ALL_CELLS = "table:number-rows-spanned='1048576' table:number-columns-spanned='16384'"


def _repeated() -> bytes:
    cell = f"<table:table-cell {_ALL_COLUMNS}><text:p>{'x' * 50}</text:p></table:table-cell>"
    return _ods(f"<table:table-row {_ALL_ROWS}>{cell}</table:table-row>")


def _merged() -> bytes:
    cell = f"<table:table-cell {_ALL_CELLS}><text:p>over all</text:p></table:table-cell>"
    return _ods(f"<table:table-row>{cell}</table:table-row>" * 3_000)


def _merged_xlsx() -> bytes:
    merges = "".join(f"<mergeCell ref='A{n}:XFD1048576'/>" for n in range(1, 5_000))
    parts = sheet(_FIRST + f"<row r='9'>{_CELL.format('C9', 'more')}</row>")
    name = "xl/worksheets/sheet1.xml"
    parts[name] = str(parts[name]).replace("</sheetData>", f"</sheetData><mergeCells>{merges}</mergeCells>")
    return archive(parts.items())


SHEETS = [
    Nasty(name="repeated.ods", make=_repeated, says=SAID, warns="more than 5 million characters"),
    Nasty(name="merged-over-all.ods", make=_merged, says=SAID),
    Nasty(name="merged-over-all.xlsx", make=_merged_xlsx, says=SAID),
    Nasty(name="no-workbook.xls", make=lambda: b"\xd0\xcf\x11\xe0" + b"\0" * 9_000, reason="damaged"),
    Nasty(name="cut.xls", make=lambda: b"\x09\x08\x10\0\0\x06\x05\0", reason="damaged"),
    Nasty(name="odd-values.xlsx", make=_odd_values, says=SAID),
    Nasty(name="claims-all.xlsx", make=_claims_all, says=SAID),
    Nasty(name="last-cell.xlsx", make=_last_cell, says=SAID),
    Nasty(name="beyond.xlsx", make=_beyond, says=SAID, never=("beyond",)),
    Nasty(name="dde.xlsx", make=_dde, says=f"(?s){SAID}.*shown", never=("calc", "WEBSERVICE")),
    Nasty(name="strings-of-no-end.xlsx", make=lambda: _strings(300_000, "299999"), says=f"(?s){SAID}.*shared"),
    Nasty(
        name="no-such-string.xlsx",
        make=lambda: _strings(1, "77"),
        says=SAID,
        warns="damaged and was read in part",
    ),
    Nasty(name="open-strings.xlsx", make=_open_strings, reason="damaged"),
    Nasty(name="far-columns.xlsx", make=_many_columns, warns="beyond the first 1000 columns"),
]
