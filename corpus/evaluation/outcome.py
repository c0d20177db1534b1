"""The outcome of one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.documents.document import Document
from corpus.evaluation.questions import EvalQuestion
from corpus.search import Hit


@dataclass(frozen=True, slots=True)
class Ranks:
    """1-based ranks of the first right answer among distinct pages and distinct documents; None where there is none,
    and for a question that names no page or document."""

    page: int | None = None
    document: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """An answer in numbers. `citations` resolve to a readable block, `broken` do not; `verdicts` counts claims by
    verdict; `pictured` tells whether it shows a figure, `picture_exists` whether a figure belongs to the hits."""

    text: str
    mode: str
    confidence: float
    milliseconds: float
    refused: bool
    pictured: bool
    picture_exists: bool
    citations: int
    broken: int
    verdicts: dict[str, int] = field(default_factory=dict)
    wanted_words: float | None = None

    @property
    def claims(self) -> int:
        """The number of claims."""
        return sum(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class Outcome:
    """`first` are the best pages as a reader sees them. `failure` is the error that ended the question."""

    question: EvalQuestion
    ranks: Ranks = Ranks()
    first: tuple[str, ...] = ()
    search_milliseconds: float | None = None
    written: AnswerFacts | None = None
    failure: str | None = None


def ranks(question: EvalQuestion, hits: Sequence[Hit]) -> Ranks:
    """The ranks of the right page and document among the hits."""
    pages = list(dict.fromkeys((hit.document.doc_id, hit.block.page_number) for hit in hits))
    right_docs = {hit.document.doc_id for hit in hits if means_document(hit.document, question.document or "")}
    documents = list(dict.fromkeys(doc for doc, _ in pages))
    return Ranks(
        _first([doc in right_docs and page in question.pages for doc, page in pages]),
        _first([doc in right_docs for doc in documents]),
    )


def means_document(document: Document, name: str) -> bool:
    """Whether a question's name for a document means this one: file name, title, id or the end of its path."""
    target = name.casefold()
    names = (document.filename, document.title or "", document.doc_id)
    path = (document.source_path or "").replace("\\", "/").casefold()
    return target in {known.casefold() for known in names if known} or path.endswith(f"/{target}")


def _first(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None
