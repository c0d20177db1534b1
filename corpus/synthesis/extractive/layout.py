"""The pieces of an answer in their groups: under their headings, and for a comparison by document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.synthesis.answer import Source
from corpus.synthesis.extractive.figures import Placed
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.select import Passage
from corpus.text.analysis import terms


@dataclass(frozen=True, slots=True)
class Piece:
    """A source with what is quoted of it; a figure has no passage."""

    source: Source
    passage: Passage | None = None


@dataclass(slots=True)
class Group:
    """Pieces under one heading of one document, in their order."""

    document: str
    heading: str
    pieces: list[Piece] = field(default_factory=list)


@dataclass(slots=True)
class Section:
    """`title` is the document's where answers are told apart by document, else empty."""

    title: str
    groups: list[Group]


def laid_out(passages: Sequence[Passage], figures: Placed, question: Question) -> list[Section]:
    """In the order of the best of each group."""
    groups: list[Group] = []
    for heading, pieces in _pieces(passages, figures):
        document = _document(pieces[0].source)
        known = next(
            (one for one in groups if heading and (one.document, one.heading) == (document, heading)), None
        )
        if known is None:
            known = Group(document, heading)
            groups.append(known)
        known.pieces += pieces
    documents = list(dict.fromkeys(one.document for one in groups))
    if question.shape != "comparison" or len(documents) < 2:
        return [Section("", groups)]
    sections = [_section([one for one in groups if one.document == document]) for document in documents]
    return sorted(sections, key=lambda one: _place(one, sections, question))


def _pieces(passages: Sequence[Passage], figures: Placed) -> list[tuple[str, list[Piece]]]:
    """What belongs together, best first, with its heading."""
    texts = [
        (_heading(one), [Piece(one.reading.source, one), *map(Piece, figures.beside.get(n, ()))])
        for n, one in enumerate(passages)
    ]
    alone = [("", [Piece(source)]) for source in figures.alone]
    return [*alone, *texts] if figures.leads else [*texts, *alone]


def _heading(one: Passage) -> str:
    """A table under a caption of its own needs no heading."""
    kinds = {one.reading.units[n].kind for n in one.units}
    captioned = kinds == {"title", "table"}
    return "" if captioned else one.reading.heading


def _document(source: Source) -> str:
    return source.hit.block.doc_id if source.hit else source.citation


def _place(section: Section, sections: Sequence[Section], question: Question) -> int:
    """Where the question names the document, by a word that no other one's title has; the others come last."""
    others = {word for one in sections if one is not section for word in terms(one.title, None)}
    own = set(terms(section.title, None)) - others
    return next((n for n, word in enumerate(question.words) if word in own), len(question.words))


def _section(groups: list[Group]) -> Section:
    source = groups[0].pieces[0].source
    if source.hit:
        title = source.hit.document.title or source.hit.document.filename
    else:
        title = source.observation.title or source.citation if source.observation else ""
    for group in groups:
        group.heading = "" if group.heading == title else group.heading
    return Section(title, groups)
