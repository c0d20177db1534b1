"""Disambiguation: one line per document that tells it from the others, for a person to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from corpus.documents.document import Document
from corpus.text.normalization import clean

MAX_NAME_CHARACTERS = 80
"""Characters of a title or file name within a line."""

Fact = Callable[[Document], str]


def options(documents: Sequence[Document]) -> tuple[tuple[str, str], ...]:
    """Id and line of each document: title, file name and date, the department where it differs, and as few further
    facts as make all lines distinct, in the last resort the id."""
    lines = [
        [
            _short(document.title),
            _short(document.filename),
            (document.document_date or document.upload_date)[:10],
        ]
        for document in documents
    ]
    for fact in _FACTS:
        same = _has_duplicates(lines)
        if fact is not _department and not same:
            continue
        if len({fact(document) for document in documents}) > 1:
            for line, document in zip(lines, documents, strict=True):
                line.append(_short(fact(document)))
    return tuple((document.doc_id, _line(parts)) for document, parts in zip(documents, lines, strict=True))


def _department(document: Document) -> str:
    return document.department or ""


def _pages(document: Document) -> str:
    return f"{document.page_count} pages" if document.page_count else ""


_FACTS: tuple[Fact, ...] = (
    _department,
    lambda document: document.document_type,
    lambda document: document.author or "",
    _pages,
    lambda document: f"indexed {document.upload_date[:16]}",
    lambda document: f"id {document.doc_id}",
)


def _has_duplicates(lines: Sequence[Sequence[str]]) -> bool:
    return max(Counter(map(tuple, lines)).values(), default=0) > 1


def _line(parts: Sequence[str]) -> str:
    title, *rest = parts
    facts = ", ".join(part for part in rest if part)
    return f"{title or 'Untitled'} ({facts})" if facts else title


def _short(text: str) -> str:
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= MAX_NAME_CHARACTERS else flat[: MAX_NAME_CHARACTERS - 1] + "…"
