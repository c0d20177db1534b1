"""Documents among which a person chooses: a line for each, which says what tells it from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from corpus.documents import Document
from corpus.text import clean

LONGEST = 80
"""Letters of a title or a file name within a line."""

Fact = Callable[[Document], str]


def options(documents: Sequence[Document]) -> tuple[tuple[str, str], ...]:
    """Id and line of each: title, file name and date, the department where these differ, and as few further facts as
    tell them all apart, the id where nothing else does."""
    lines = [
        [_short(one.title), _short(one.filename), (one.document_date or one.upload_date)[:10]]
        for one in documents
    ]
    for fact in _FACTS:
        same = _repeated(lines)
        if fact is not _department and not same:
            continue
        if len({fact(one) for one in documents}) > 1:
            for line, one in zip(lines, documents, strict=True):
                line.append(_short(fact(one)))
    return tuple((one.doc_id, _line(parts)) for one, parts in zip(documents, lines, strict=True))


def _department(document: Document) -> str:
    return document.department or ""


def _pages(document: Document) -> str:
    return f"{document.page_count} pages" if document.page_count else ""


_FACTS: tuple[Fact, ...] = (
    _department,
    lambda one: one.document_type,
    lambda one: one.author or "",
    _pages,
    lambda one: f"indexed {one.upload_date[:16]}",
    lambda one: f"id {one.doc_id}",
)


def _repeated(lines: Sequence[Sequence[str]]) -> bool:
    return max(Counter(map(tuple, lines)).values(), default=0) > 1


def _line(parts: Sequence[str]) -> str:
    title, *rest = parts
    told = ", ".join(part for part in rest if part)
    return f"{title or 'Untitled'} ({told})" if told else title


def _short(text: str) -> str:
    shown = " ".join(clean(text).split())
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
