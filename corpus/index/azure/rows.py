"""Convert the service's rows to blocks and documents, and its scores to the range 0..1 with their kinds.

Semantic scores are in the range 0..4. A cosine similarity is returned as 1/(2 - cosine). Rank fusion adds at most 1/60
per list (ranks are zero-based, as recorded responses show). BM25 scores have no upper limit, so the best hit gets 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from corpus.documents.block import Block, Box
from corpus.documents.document import Document, OutlineEntry
from corpus.index.azure.schema.fields import ALL_OF_DOCUMENTS
from corpus.search import Mode, ScoreKind
from corpus.text.normalization import clean, is_text

Row = Mapping[str, Any]

MAX_NUMBER = 2**53
"""Upper limit of page numbers, line numbers and coordinates. JSON represents all integers below it exactly."""

OF_LISTED_DOCUMENTS = tuple(name for name in ALL_OF_DOCUMENTS if name not in ("outline", "page_labels"))
"""Document fields that a list or a hit needs. The outline is omitted because it can be longer than all of them
together."""


def block_of(row: Row) -> Block:
    """Convert a row to a block. Fields that are missing or have an unexpected type remain empty."""
    return Block(
        block_id=_text(row, "block_id"),
        doc_id=_text(row, "doc_id"),
        block_type="image" if _is_image(row) else "text",
        content=_text(row, "content"),
        image_url=_text(row, "image_url") or None,
        image_caption=_text(row, "image_caption") or None,
        page_number=_number(row, "page_number"),
        page_label=_text(row, "page_label") or None,
        chunk_number=_number(row, "chunk_number") or 0,
        heading=_text(row, "heading") or None,
        bbox=_box(row.get("bbox")),
        start_line=_number(row, "start_line"),
        end_line=_number(row, "end_line"),
        char_start=_number(row, "char_start"),
        char_end=_number(row, "char_end"),
        language=_text(row, "language") or None,
        access_control_list=_texts(row, "access_control_list"),
    )


def document_of(row: Row) -> Document:
    """Convert a row to a document. Fields that are missing or have an unexpected type remain empty."""
    filename = _text(row, "filename")
    return Document(
        doc_id=_text(row, "doc_id"),
        filename=filename,
        title=_text(row, "title") or filename,
        document_type=_text(row, "document_type"),
        upload_date=_date(row, "upload_date"),
        document_date=_date(row, "document_date") or None,
        author=_text(row, "author") or None,
        department=_text(row, "department") or None,
        page_count=_number(row, "page_count"),
        summary_brief=_text(row, "summary_brief"),
        summary_standard=_text(row, "summary_standard"),
        language=_text(row, "language") or None,
        access_control_list=_texts(row, "access_control_list"),
        status="ready",
        warnings=_texts(row, "warnings"),
        outline=_outline(_text(row, "outline")),
        page_labels=_texts(row, "page_labels"),
    )


def names_its_document(row: Row) -> bool:
    """Return whether the row of a block includes the file name of its document."""
    return bool(_text(row, "filename"))


def reading_order(block: Block) -> tuple[object, ...]:
    """Return the sort key for blocks: page, then chunk number if any, then the numbers in the id."""
    return (
        block.page_number is None,
        block.page_number or 0,
        block.chunk_number,
        [(not part.isdigit(), part.zfill(12)) for part in block.block_id.replace("_", "-").split("-")],
    )


def _is_image(row: Row) -> bool:
    kind = row.get("block_type")
    return kind == "image" or (kind != "text" and bool(_text(row, "image_url")))


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return clean(value) if isinstance(value, str) else ""


def _texts(row: Row, name: str) -> tuple[str, ...]:
    value = row.get(name)
    texts = value if isinstance(value, list) else ()
    return tuple(one for one in texts if isinstance(one, str) and is_text(one))


def _number(row: Row, name: str) -> int | None:
    return _counted(row.get(name))


def _counted(value: object) -> int | None:
    """Return the value if it is a valid count, page number or line number, otherwise None."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < MAX_NUMBER else None


def _date(row: Row, name: str) -> str:
    """Return a date in UTC, in the format of the local index, or an empty string if it is invalid."""
    try:
        when = datetime.fromisoformat(_text(row, name))
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return ""


def _box(value: object) -> Box | None:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 4:
        return None
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < MAX_NUMBER for one in value):
        return None
    left, top, right, bottom = value
    return (float(left), float(top), float(right), float(bottom))


def _outline(text: str) -> tuple[OutlineEntry, ...]:
    try:
        entries = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return ()
    parsed = map(_entry, entries) if isinstance(entries, list) else ()
    return tuple(entry for entry in parsed if entry)


def _entry(value: object) -> OutlineEntry | None:
    match value:
        case [str() as title, level, page] if _counted(level) and clean(title):
            return OutlineEntry(clean(title), _counted(level) or 1, _counted(page))
    return None


SCORE, RERANKED = "@search.score", "@search.reranker_score"
RANK_CONSTANT = 60


@dataclass(frozen=True, slots=True)
class SearchParts:
    """The parts of a search that ran: keyword search, number of vector fields, semantic ranking."""

    text: bool
    vectors: int
    semantic: bool = False

    @property
    def mode(self) -> Mode:
        """The mode of the search."""
        if self.semantic:
            return "semantic"
        if self.text and self.vectors:
            return "hybrid"
        return "vector" if self.vectors else "lexical"

    @property
    def kind(self) -> ScoreKind:
        """The kind of its scores."""
        if self.mode == "vector" and self.vectors > 1:
            return "hybrid"  # the service fuses two vector rankings like any other two rankings
        kinds: dict[Mode, ScoreKind] = {
            "lexical": "text",
            "vector": "vector",
            "hybrid": "hybrid",
            "semantic": "semantic",
        }
        return kinds[self.mode]


def scores(rows: Sequence[Row], ran: SearchParts) -> list[float]:
    """Return the scores in the range 0..1, in the order of the rows."""
    raw = [_raw_score(row.get(RERANKED if ran.semantic else SCORE)) for row in rows]
    if ran.kind == "semantic":
        return [_bounded(one / 4) for one in raw]
    if ran.kind == "hybrid":
        return [_bounded(one * RANK_CONSTANT / (ran.vectors + ran.text)) for one in raw]
    if ran.kind == "vector":
        return [_bounded(one) for one in raw]
    best = max(raw, default=0.0)
    return [_bounded(one / best) if best > 0 else 0.0 for one in raw]


def cosine(row: Row) -> float | None:
    """Return the cosine similarity of a hit in a single-vector search, or None if the row has no score."""
    score = _raw_score(row.get(SCORE))
    return max(-1.0, min(1.0, 2 - 1 / score)) if score > 0 else None


def _raw_score(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0


def _bounded(score: float) -> float:
    return max(0.0, min(1.0, score))
