"""RTF: its text by striprtf, with headings where the file says outline levels. Pictures are left aside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from striprtf.striprtf import rtf_to_text

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import TEXT_BYTES
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements, Heading, Paragraph, Table
from corpus.readers.files import file_bytes, file_start
from corpus.readers.office.text.rtf_unseen import without_unseen
from corpus.readers.steps import Step

_FIELD = r"\{\\%s ([^{}\\]{1,300})\}"
_LEVEL = re.compile(r"\\outlinelevel(\d)(?=[^\d])")
_PICTURE = re.compile(r"\{\\\*?\\?(?:pict|objdata|themedata|datastore)\b[^{}]*\}")
_MARK = "\ue000"
"""Put where a heading begins; a private character that no text means."""

_DATE = re.compile(r"\{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")


def read_rtf(path: Path) -> Iterator[Step]:
    """Blocks of its text; UnreadableDocument when it is no RTF or too long."""
    if not file_start(path, 5).startswith(b"{\\rtf"):
        raise UnreadableDocument("not an RTF although its name says so")
    if path.stat().st_size > 4 * TEXT_BYTES:
        raise UnreadableDocument(f"an RTF of more than {4 * TEXT_BYTES // 1_000_000} MB")
    whole = file_bytes(path, 4 * TEXT_BYTES).decode("latin-1")
    source, pictures = _PICTURE.sub("", whole), len(re.findall(r"\\pict\b", whole))
    if len(source) > TEXT_BYTES:
        raise UnreadableDocument(f"an RTF of more than {TEXT_BYTES // 1_000_000} MB of text")
    about = _about(source)
    source, about.unseen = without_unseen(source)
    if pictures:
        about.warnings.append(f"Pictures in an RTF are not read: {pictures}.")
    try:
        text = str(rtf_to_text(_LEVEL.sub(_marked, source), errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise UnreadableDocument("damaged: it cannot be read as an RTF") from error
    yield from steps_of(_elements(text), about)


def _about(source: str) -> About:
    def said(name: str) -> str | None:
        found = re.search(_FIELD % name, source)
        return found[1].strip() or None if found else None

    date = _DATE.search(source)
    return About(
        title=said("title"),
        author=said("author"),
        document_date=f"{date[1]}-{int(date[2]):02}-{int(date[3]):02}T00:00:00+00:00" if date else None,
    )


def _marked(found: re.Match[str]) -> str:
    """A level between marks, as RTF writes characters."""
    mark = f"\\u{ord(_MARK)}?"
    return f"{mark}{found[1]}{mark}"


def _elements(text: str) -> Elements:
    """Lines with bars between their cells are rows of a table, as the library gives them."""
    rows: list[tuple[str, ...]] = []
    for line in text.split("\n"):
        if line.count("|") >= 1 and line.rstrip().endswith("|"):
            rows.append(tuple(cell.replace(_MARK, "") for cell in line.rstrip()[:-1].split("|")))
            continue
        if rows:
            yield Table(rows=tuple(rows))
            rows = []
        level = re.match(rf"\s*{_MARK}(\d){_MARK}", line)
        said = re.sub(rf"{_MARK}\d{_MARK}", "", line).strip()
        if said and level:
            yield Heading(said, int(level[1]) + 1)
        elif said:
            yield Paragraph(said)
    if rows:
        yield Table(rows=tuple(rows))
