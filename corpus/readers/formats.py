"""Readable file formats, the reader for each, and page counts."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import cast

from corpus.errors import UnreadableDocument
from corpus.readers.archives import open_archive
from corpus.readers.pinned_file import file_start
from corpus.readers.protocol import Reader

PDF = frozenset({".pdf"})
MARKDOWN = frozenset({".md", ".markdown"})
PLAIN_TEXT = frozenset({
    "", ".txt", ".text", ".rst", ".log", ".adoc", ".asciidoc", ".org", ".textile", ".tex", ".bib", ".srt", ".vtt",
    ".conf", ".properties", ".nfo",
})  # fmt: skip
"""Suffixes of plain text. The empty suffix (README, LICENSE, Makefile) is included; a folder walk accepts such files if
they contain text."""
WORD = frozenset({".docx", ".docm", ".dotx", ".dotm"})
SLIDES = frozenset({".pptx", ".pptm", ".potx", ".potm", ".ppsx", ".ppsm"})
SHEETS = frozenset({".xlsx", ".xlsm", ".xltx", ".xltm"})
WEB = frozenset({".html", ".htm", ".xhtml"})
MAIL = frozenset({".eml", ".msg", ".mbox", ".ics"})
TABLES = frozenset({".csv", ".tsv"})
JSON = frozenset({".json", ".jsonl", ".ndjson", ".geojson"})
CODE = frozenset({
    ".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".java", ".kt", ".kts", ".scala", ".groovy", ".c",
    ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cs", ".go", ".rs", ".rb", ".php", ".swift", ".m", ".mm", ".pl", ".pm", ".r",
    ".jl", ".lua", ".dart", ".ex", ".exs", ".erl", ".hs", ".clj", ".ml", ".fs", ".vb", ".sh", ".bash", ".zsh", ".ps1",
    ".bat", ".sql", ".proto", ".graphql", ".tf", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".xml", ".css", ".scss",
    ".vue", ".svelte", ".gradle", ".cmake", ".mk",
})  # fmt: skip
IMAGES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff"})

_READERS: dict[frozenset[str], str] = {
    PDF: "corpus.readers.pdf.reader:read_pdf",
    MARKDOWN: "corpus.readers.text_files.markdown_file:read_markdown",
    PLAIN_TEXT: "corpus.readers.text_files.plain_text:read_plain_text",
    WORD: "corpus.readers.office.text.docx:read_docx",
    SLIDES: "corpus.readers.office.pptx:read_pptx",
    SHEETS: "corpus.readers.office.sheets.xlsx:read_xlsx",
    frozenset({".xls", ".xlt"}): "corpus.readers.office.sheets.xls:read_xls",
    frozenset({".ods", ".ots"}): "corpus.readers.office.sheets.ods:read_ods",
    frozenset({".odt", ".ott"}): "corpus.readers.office.text.odf:read_odt",
    frozenset({".odp", ".otp"}): "corpus.readers.office.text.odf:read_odp",
    frozenset({".rtf"}): "corpus.readers.office.text.rtf:read_rtf",
    frozenset({".epub"}): "corpus.readers.web.epub:read_epub",
    WEB: "corpus.readers.web.html:read_html",
    frozenset({".eml"}): "corpus.readers.mail.mail_files:read_eml",
    frozenset({".msg"}): "corpus.readers.mail.mail_files:read_msg",
    frozenset({".mbox"}): "corpus.readers.mail.mail_files:read_mbox",
    frozenset({".ics"}): "corpus.readers.mail.calendar:read_calendar",
    TABLES: "corpus.readers.text_files.plain_text:read_csv",
    JSON: "corpus.readers.text_files.plain_text:read_json",
    CODE: "corpus.readers.text_files.plain_text:read_code",
    IMAGES: "corpus.readers.image_files:read_image",
}
_TEXTS = MARKDOWN | PLAIN_TEXT | WEB | TABLES | JSON | CODE

READABLE = frozenset[str]().union(*_READERS)
"""Lower-case suffixes of readable files."""

_BINARY_STARTS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old office document",
}

_TEXT_CONTROLS = b"\t\n\r\f\b\x1b"
_NO_TEXT = bytes(set(range(32)) - set(_TEXT_CONTROLS))
_UNICODE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def kind_of_name(path: Path) -> str:
    """Return the lower-case suffix, which selects the reader. A suffix without a letter (`syslog.1`, `notes.2024`) does
    not count as one."""
    suffix = path.suffix.lower()
    return suffix if any(map(str.isalpha, suffix)) else ""


def holds_text(path: Path) -> bool:
    """Return whether a file without a suffix starts like text. Hidden files (`.env`) and private keys are excluded,
    because nobody wants them among search results."""
    if path.name.startswith("."):
        return False
    try:
        start = file_start(path)
    except (UnreadableDocument, ValueError):
        return False
    if b"PRIVATE KEY-----" in start or _looks_like(start):
        return False
    return bool(start) and (start.startswith(_UNICODE_MARKS) or start.translate(None, _NO_TEXT) == start)


def reader_for(path: Path) -> Reader:
    """Return the reader for a checked file. Raises UnreadableDocument if the content contradicts the file name.

    Readers are imported here, in the reading process, and only when needed.
    """
    suffix = kind_of_name(path)
    if suffix not in READABLE:
        raise UnreadableDocument(f"files named {suffix} cannot be read")
    if not suffix and not holds_text(path):
        raise UnreadableDocument("a file without a suffix can be read only if it contains text")
    if suffix in PDF:
        _expect_pdf(path)
    elif suffix in _TEXTS:
        _expect_text(path)
    place = next(place for suffixes, place in _READERS.items() if suffix in suffixes)
    module, _, name = place.partition(":")
    return cast(Reader, getattr(import_module(module), name))


def _expect_pdf(path: Path) -> None:
    start = file_start(path)
    if b"%PDF-" not in start:  # viewers accept some bytes before the signature
        raise UnreadableDocument(f"not a PDF although its name says so{_looks_like(start)}")


def _expect_text(path: Path) -> None:
    likeness = _looks_like(file_start(path))
    if likeness:
        raise UnreadableDocument(f"not a text although its name says so{likeness}")


def _looks_like(start: bytes) -> str:
    """Return a clause that names the format the bytes look like; empty if they look like text."""
    for mark, name in _BINARY_STARTS.items():
        if start.startswith(mark):
            return f"; it looks like {name}"
    return ""


BOOKS = frozenset({".epub"})
COUNTED = PDF | SLIDES | WORD | SHEETS | BOOKS | {".odt", ".ott", ".odp", ".otp"}
"""Suffixes of files whose pages are counted in a separate process; for other files, the page count is estimated from
the size."""

_PART = re.compile(
    r"ppt/slides/slide\d+\.xml|word/document\.xml|xl/(?:worksheets/[^/]*|sharedStrings)\.xml|content\.xml|.*\.x?html?"
)
_MARKUP_BYTES = 20_000
"""Estimated bytes of XML per page of 3,000 characters in a Word file; most of the XML is formatting."""
_BOOK_BYTES = 3_700
"""Estimated bytes of XHTML per page of 3,000 characters in a book."""


def page_count(path: Path) -> int:
    """Return the page count of a checked file: exact for PDFs and slides, otherwise estimated from the size of its
    text. Raises UnreadableDocument."""
    suffix = path.suffix.lower()
    if suffix in PDF:
        from corpus.readers.pdf.pdf_file import open_pdf

        with open_pdf(path) as document:
            return len(document)
    with open_archive(path, "an office document", definitions=True) as archive:
        parts = [part.file_size for part in archive.infolist() if _PART.fullmatch(part.filename)]
    if suffix in SLIDES:
        return max(1, len(parts))
    return max(1, round(sum(parts) / (_BOOK_BYTES if suffix in BOOKS else _MARKUP_BYTES)))
