"""RTF: its text by striprtf, with headings where the file says outline levels. Pictures are left aside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from striprtf.striprtf import rtf_to_text

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import TEXT_BYTES
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements, Heading, Paragraph, Table
from corpus.readers.files import file_bytes, file_start
from corpus.readers.office.page_numbers import running_line
from corpus.readers.office.text.rtf_source import CELL, CODE, ROW, RUNNING, RtfSource
from corpus.readers.raised_text import written
from corpus.readers.steps import Step

_FIELD = r"\{\\%s ([^{}\\]{1,300})\}"
_LEVEL = re.compile(r"\\outlinelevel(\d)(?=[^\d])")
_PICTURE = re.compile(r"\{\\\*?\\?(?:pict|objdata|themedata|datastore)\b[^{}]*\}")
_MARK = "\ue000"
"""Put where a heading begins; a private character that no text means."""

_PLACE = re.compile(r"([.<^])(-?\d{1,9})")
_NEAR = 60
"""Twips by which edges of one column may differ, a millimetre."""

_RAW = re.compile("[\x80-\xff]")
_DATE = re.compile(r"\{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")


class _Row(NamedTuple):
    """Cells, and of each how it is merged and its right edge in twips."""

    cells: list[str]
    places: list[tuple[str, int]]


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
    rewritten = RtfSource(source)
    source, about.unseen, about.left_out = rewritten.text, rewritten.unseen, rewritten.left_out
    if pictures:
        about.warnings.append(f"Pictures in an RTF are not read: {pictures}.")
    try:
        text = str(rtf_to_text(_RAW.sub(_escaped, _LEVEL.sub(_marked, source)), errors="replace"))  # type: ignore[no-untyped-call]
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


def _escaped(found: re.Match[str]) -> str:
    """A byte of the file's code page as RTF writes it; some programs do not, and the library takes it for Latin-1."""
    return f"\\'{ord(found[0]):02x}"


def _marked(found: re.Match[str]) -> str:
    """A level between marks, as RTF writes characters."""
    mark = f"\\u{ord(_MARK)}?"
    return f"{mark}{found[1]}{mark}"


def _elements(text: str) -> Elements:
    """Lines are paragraphs; rows and lines of code that follow each other are put together."""
    rows: list[_Row] = []
    code: list[str] = []
    waiting = 0
    for line in text.split("\n"):
        if ROW in line:
            rows.append(_row(line.replace(CODE, "")))
            continue
        if rows and line.strip():
            yield Table(rows=_filled(rows))
            rows = []
        if CODE in line:
            code += [*[""] * waiting, _said(line.replace(CODE, "")).rstrip()]
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
        yield Table(rows=_filled(rows))
    if code:
        yield Paragraph("\n".join(code), "code")


def _paragraph(line: str) -> Elements:
    if RUNNING in line:
        kind, _, rest = line.replace(RUNNING, "").strip().partition(": ")
        if said := running_line(_said(rest)):
            yield Paragraph(f"{kind}: {said}")
        return
    level = re.match(rf"\s*{_MARK}(\d){_MARK}", line)
    said = _said(line).strip()
    if said and level:
        yield Heading(said, int(level[1]) + 1)
    elif said:
        yield Paragraph(said)


def _row(line: str) -> _Row:
    words, layout, *_ = [*line.split(ROW), ""]
    cells = [_said(cell).strip() for cell in words.split(CELL)]
    cells = cells[:-1] if not cells[-1] else cells
    places = [(found[1], int(found[2])) for found in _PLACE.finditer(layout)]
    return _Row(cells, places[: len(cells)])


def _filled(rows: list[_Row]) -> tuple[tuple[str, ...], ...]:
    """The rows of a table; a cell that is merged, or spans columns of other rows, is said in each place of it."""
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
            said = text
            if merge == "<" and place:
                said = cells[-1]
            elif merge == "^" and filled and place < len(filled[-1]):
                said = filled[-1][place]
            until = sum(each <= edge + _NEAR for each in edges) if is_grid else place + 1
            cells.extend([said] * max(1, until - place))
        filled.append((*cells, *row.cells[len(row.places) :]))
    return tuple(filled)


def _said(text: str) -> str:
    return written(re.sub(rf"{_MARK}\d{_MARK}", "", text))
