"""Which files are readable, and by what: by their suffix first, then by what they hold."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import cast

from corpus.errors import UnreadableDocument
from corpus.readers.files import file_start
from corpus.readers.steps import Reader

PDF = frozenset({".pdf"})
MARKDOWN = frozenset({".md", ".markdown"})
PLAIN_TEXT = frozenset({
    "", ".txt", ".text", ".rst", ".log", ".adoc", ".asciidoc", ".org", ".textile", ".tex", ".bib", ".srt", ".vtt",
    ".conf", ".properties", ".nfo",
})  # fmt: skip
"""Among them files without a suffix (README, LICENSE, Makefile), which a walk takes where they hold text."""
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
    PDF: "pdf.reader:read_pdf",
    MARKDOWN: "markdown:read_markdown",
    PLAIN_TEXT: "plain_text:read_plain_text",
    WORD: "office.word.reader:read_docx",
    SLIDES: "office.slides.reader:read_pptx",
    SHEETS: "office.sheets.reader:read_xlsx",
    frozenset({".xls", ".xlt"}): "office.sheets.xls:read_xls",
    frozenset({".ods", ".ots"}): "office.sheets.ods:read_ods",
    frozenset({".odt", ".ott"}): "office.text.odt:read_odt",
    frozenset({".odp", ".otp"}): "office.text.odp:read_odp",
    frozenset({".rtf"}): "office.text.rtf:read_rtf",
    frozenset({".epub"}): "web.book:read_epub",
    WEB: "web.page:read_html",
    frozenset({".eml"}): "mail.eml:read_eml",
    frozenset({".msg"}): "mail.msg:read_msg",
    frozenset({".mbox"}): "mail.eml:read_mbox",
    frozenset({".ics"}): "mail.calendar:read_calendar",
    TABLES: "data.delimited:read_csv",
    JSON: "data.records:read_json",
    CODE: "data.code:read_code",
    IMAGES: "images.reader:read_image",
}
_TEXTS = MARKDOWN | PLAIN_TEXT | WEB | TABLES | JSON | CODE

READABLE = frozenset[str]().union(*_READERS)
"""Suffixes, in lower case, of the files that can be read."""

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
    """The suffix in lower case, which decides what reads the file. One without a letter (`syslog.1`, `notes.2024`) is
    none."""
    suffix = path.suffix.lower()
    return suffix if any(map(str.isalpha, suffix)) else ""


def holds_text(path: Path) -> bool:
    """Whether a file that does not say what it is starts as text does. Hidden files (`.env`) and private keys are text
    that nobody searches."""
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
    """The reader of a checked file. UnreadableDocument when the content is not what the name says.

    Readers are imported here, in the reading process, and only as needed.
    """
    suffix = kind_of_name(path)
    if suffix not in READABLE:
        raise UnreadableDocument(f"files named {suffix} cannot be read")
    if not suffix and not holds_text(path):
        raise UnreadableDocument("a file without a suffix that holds no text cannot be read")
    if suffix in PDF:
        _expect_pdf(path)
    elif suffix in _TEXTS:
        _expect_text(path)
    place = next(place for suffixes, place in _READERS.items() if suffix in suffixes)
    module, _, name = place.partition(":")
    return cast(Reader, getattr(import_module(f"corpus.readers.{module}"), name))


def _expect_pdf(path: Path) -> None:
    start = file_start(path)
    if b"%PDF-" not in start:  # viewers allow some rubbish before it
        raise UnreadableDocument(f"not a PDF although its name says so{_looks_like(start)}")


def _expect_text(path: Path) -> None:
    found = _looks_like(file_start(path))
    if found:
        raise UnreadableDocument(f"not a text although its name says so{found}")


def _looks_like(start: bytes) -> str:
    for mark, name in _BINARY_STARTS.items():
        if start.startswith(mark):
            return f"; it looks like {name}"
    return ""
