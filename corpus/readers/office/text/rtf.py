"""RTF files: striprtf extracts the text; outline levels determine the headings. Pictures are not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from striprtf.striprtf import rtf_to_text

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import TEXT_BYTES
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Heading, Paragraph, Table
from corpus.readers.office.text.rtf_source import CELL, CODE, ROW, RUNNING, RtfSource
from corpus.readers.office.text.running_lines import running_line
from corpus.readers.pinned_file import file_bytes, file_start
from corpus.readers.protocol import Step
from corpus.readers.typography import resolve_marks

_FIELD = r"\{\\%s ([^{}\\]{1,300})\}"
_LEVEL = re.compile(r"\\outlinelevel(\d)(?=[^\d])")
_PICTURE = re.compile(r"\{\\\*?\\?(?:pict|objdata|themedata|datastore)\b[^{}]*\}")
_MARK = "\ue000"
"""Mark put before and after the level of a heading; a private-use character that no text contains."""

_PLACE = re.compile(r"([.<^])(-?\d{1,9})")
_NEAR = 60
"""Maximum distance in twips (about a millimetre) between cell edges that belong to the same column."""

_RAW = re.compile("[\x80-\xff]")
_DATE = re.compile(r"\{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")


class _Row(NamedTuple):
    """The cells of a row, each with its merge mark and its right edge in twips."""

    cells: list[str]
    places: list[tuple[str, int]]


def read_rtf(path: Path) -> Iterator[Step]:
    """Yield blocks of the file's text. Raises UnreadableDocument if the file is not RTF or too long."""
    if not file_start(path, 5).startswith(b"{\\rtf"):
        raise UnreadableDocument("not an RTF although its name says so")
    if path.stat().st_size > 4 * TEXT_BYTES:
        raise UnreadableDocument(f"an RTF of more than {4 * TEXT_BYTES // 1_000_000} MB")
    whole = file_bytes(path, 4 * TEXT_BYTES).decode("latin-1")
    source, pictures = _PICTURE.sub("", whole), len(re.findall(r"\\pict\b", whole))
    if len(source) > TEXT_BYTES:
        raise UnreadableDocument(f"an RTF of more than {TEXT_BYTES // 1_000_000} MB of text")
    about = _about(source)
    rewritten = RtfSource(source)
    source, about.unseen, about.left_out = rewritten.text, rewritten.unseen, rewritten.left_out
    if pictures:
        about.warnings.append(f"Pictures in an RTF are not read: {pictures}.")
    try:
        text = str(rtf_to_text(_RAW.sub(_escape, _LEVEL.sub(_mark_level, source)), errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise UnreadableDocument("damaged: it cannot be read as an RTF") from error
    yield from steps_of(_elements(text), about)


def _about(source: str) -> About:
    def value_of(name: str) -> str | None:
        match = re.search(_FIELD % name, source)
        return match[1].strip() or None if match else None

    date = _DATE.search(source)
    return About(
        title=value_of("title"),
        author=value_of("author"),
        document_date=f"{date[1]}-{int(date[2]):02}-{int(date[3]):02}T00:00:00+00:00" if date else None,
    )


def _escape(match: re.Match[str]) -> str:
    """Escape a raw byte in the code page of the file, because striprtf would decode it as Latin-1."""
    return f"\\'{ord(match[0]):02x}"


def _mark_level(match: re.Match[str]) -> str:
    """Put an outline level between marks, in RTF notation."""
    mark = f"\\u{ord(_MARK)}?"
    return f"{mark}{match[1]}{mark}"


def _elements(text: str) -> Elements:
    """Join rows into tables, and lines of code into listings. Other lines become paragraphs."""
    rows: list[_Row] = []
    code: list[str] = []
    waiting = 0
    for line in text.split("\n"):
        if ROW in line:
            rows.append(_row(line.replace(CODE, "")))
            continue
        if rows and line.strip():
            yield Table(rows=_fill(rows))
            rows = []
        if CODE in line:
            code += [*[""] * waiting, _plain(line.replace(CODE, "")).rstrip()]
            waiting = 0
            continue
        if code and not line.strip():
            waiting += 1
            continue
        if code:
            yield Paragraph("\n".join(code), "code")
            code, waiting = [], 0
        yield from _paragraph(line)
    if rows:
        yield Table(rows=_fill(rows))
    if code:
        yield Paragraph("\n".join(code), "code")


def _paragraph(line: str) -> Elements:
    if RUNNING in line:
        kind, _, rest = line.replace(RUNNING, "").strip().partition(": ")
        if text := running_line(_plain(rest)):
            yield Paragraph(f"{kind}: {text}")
        return
    level = re.match(rf"\s*{_MARK}(\d){_MARK}", line)
    text = _plain(line).strip()
    if text and level:
        yield Heading(text, int(level[1]) + 1)
    elif text:
        yield Paragraph(text)


def _row(line: str) -> _Row:
    words, layout, *_ = [*line.split(ROW), ""]
    cells = [_plain(cell).strip() for cell in words.split(CELL)]
    cells = cells[:-1] if not cells[-1] else cells
    places = [(match[1], int(match[2])) for match in _PLACE.finditer(layout)]
    return _Row(cells, places[: len(cells)])


def _fill(rows: list[_Row]) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a table. The text of a merged cell, or of a cell that spans columns of other rows, is
    repeated."""
    edges: list[int] = []
    for edge in sorted(edge for row in rows for _, edge in row.places):
        if not edges or edge - edges[-1] > _NEAR:
            edges.append(edge)
    is_grid = len(edges) == max(len(row.places) for row in rows) and all(
        len(row.places) == len(row.cells) for row in rows
    )
    filled: list[tuple[str, ...]] = []
    for row in rows:
        cells: list[str] = []
        for text, (merge, edge) in zip(row.cells, row.places, strict=False):
            place = len(cells)
            repeated = text
            if merge == "<" and place:
                repeated = cells[-1]
            elif merge == "^" and filled and place < len(filled[-1]):
                repeated = filled[-1][place]
            until = sum(each <= edge + _NEAR for each in edges) if is_grid else place + 1
            cells.extend([repeated] * max(1, until - place))
        filled.append((*cells, *row.cells[len(row.places) :]))
    return tuple(filled)


def _plain(text: str) -> str:
    return resolve_marks(re.sub(rf"{_MARK}\d{_MARK}", "", text))
