"""Small files of each format around a piece of markup, so that tests can write the same in all formats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from docx import Document
from docx.oxml import parse_xml
from pptx import Presentation
from pptx.util import Inches

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_WORD_SPACES = (
    f'{W} xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_ODF = {
    "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style", "svg": "svg-compatible",
    "fo": "xsl-fo-compatible", "presentation": "presentation", "form": "form", "chart": "chart",
}  # fmt: skip
ODF_SPACES = (
    " ".join(f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for key, name in _ODF.items())
    + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def docx(folder: Path, body: str, *, styles: str = "", comments: str = "") -> Path:
    """Write a DOCX. `body` is markup with the prefixes w, m, r and w14; `styles` and `comments` are elements of those
    parts."""
    document = Document()
    root = document.element.body
    for place, child in enumerate(parse_xml(f"<w:body {_WORD_SPACES}>{body}</w:body>")):
        root.insert(place, child)
    for style in parse_xml(f"<w:styles {W}>{styles}</w:styles>"):
        document.styles.element.append(style)
    if comments:
        part = document.part._comments_part
        for comment in parse_xml(f"<w:comments {W}>{comments}</w:comments>"):
            part.element.append(comment)
    document.save(str(folder / "a.docx"))
    return folder / "a.docx"


def pptx(folder: Path, paragraphs: str) -> Path:
    """Write a PPTX. `paragraphs` are `a:p` elements of a text box."""
    deck = Presentation()
    box = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(*map(Inches, (1, 1, 6, 3)))
    frame = box.text_frame._txBody
    for old in list(frame.iterchildren("{*}p")):
        frame.remove(old)
    for paragraph in parse_xml(f"<a:txBody {A}>{paragraphs}</a:txBody>"):
        frame.append(paragraph)
    deck.save(str(folder / "a.pptx"))
    return folder / "a.pptx"


def html(folder: Path, body: str, head: str = "") -> Path:
    (folder / "a.html").write_text(f"<html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
    return folder / "a.html"


def markdown(folder: Path, text: str) -> Path:
    (folder / "a.md").write_text(text, encoding="utf-8")
    return folder / "a.md"


def epub(folder: Path, body: str, sheet: str = "") -> Path:
    """Write a book of one page. `sheet` is its style sheet, in a separate file."""
    head = '<head><link rel="stylesheet" type="text/css" href="../css/look.css"/></head>' if sheet else ""
    page = f'<html xmlns="http://www.w3.org/1999/xhtml">{head}<body>{body}</body></html>'
    files = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b/p.opf"/></rootfiles></container>',
        "b/p.opf": '<package><manifest><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>',
        "b/text/a.xhtml": f'<?xml version="1.0" encoding="utf-8"?>{page}',
        "b/css/look.css": sheet,
    }
    return archive(folder / "a.epub", files)


def odt(folder: Path, body: str, *, styles: str = "", page: str = "", files: Mapping[str, str] | None = None) -> Path:
    """Write an ODT. `styles` are automatic styles; `page` is the content of the master page; `files` are further
    entries."""
    return archive(folder / "a.odt", _odf("text", body, styles, page) | dict(files or {}))


def odp(folder: Path, pages: str, *, styles: str = "") -> Path:
    return archive(folder / "a.odp", _odf("presentation", pages, styles, ""))


def slide(body: str) -> str:
    """Return a slide of an ODP with one box."""
    return (
        '<draw:page><draw:frame svg:x="1cm" svg:y="1cm" svg:width="9cm" svg:height="3cm"><draw:text-box>'
        f"{body}</draw:text-box></draw:frame></draw:page>"
    )


def rtf(folder: Path, body: str, fonts: str = r"{\f0 Arial;}") -> Path:
    path = folder / "a.rtf"
    path.write_bytes((rf"{{\rtf1\ansi\ansicpg1252\deff0{{\fonttbl{fonts}}}\f0 " + body + "}").encode("ascii"))
    return path


def _odf(kind: str, body: str, styles: str, page: str) -> dict[str, str]:
    content = (
        f"<office:document-content {ODF_SPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    masters = (
        f"<office:document-styles {ODF_SPACES}><office:master-styles><style:master-page>{page}</style:master-page>"
        "</office:master-styles></office:document-styles>"
    )
    return {"content.xml": content, "styles.xml": masters}


def archive(path: Path, files: Mapping[str, str]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return path
