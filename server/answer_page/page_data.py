"""The data of an answer's page, ready to be rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus.documents.block import Box, PagePicture, Picture
from corpus.synthesis.answer import Source
from corpus.synthesis.verify import Parts
from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_words import AnswerWords, words_for


@dataclass(frozen=True, slots=True)
class AnswerData:
    """An answer and what its check gave, whoever wrote it. `text` is Markdown; offsets of claims count in it.
    `language` is that of the text, `question_language` that of the question, both None if unknown. `answered` says
    whether it seems to answer, None where nothing was asked. Text that is `quoted` always stands in its source, so
    that a verdict on it would say nothing."""

    title: str
    text: str
    claims: tuple[CheckedClaim, ...]
    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()
    confidence: float | None = None
    parts: Mapping[int, Parts] = field(default_factory=dict)
    language: str | None = None
    question_language: str | None = None
    answered: bool | None = None
    quoted: bool = False

    @property
    def words(self) -> AnswerWords:
        """The words around the answer, in its language."""
        return words_for(self.language or self.question_language)

    @property
    def languages(self) -> frozenset[str]:
        """The languages of the question and the sources."""
        languages = (self.question_language, *(source.language for source in self.sources))
        return frozenset(filter(None, languages))


@dataclass(slots=True)
class PageImage:
    """A page of a document; `marked` has the boxes of each claim by its number, in points, `framed` those of each
    figure in the answer by the number of its source."""

    place: str
    picture: PagePicture
    marked: dict[int, list[Box]] = field(default_factory=dict)
    framed: dict[int, Box] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageData:
    """`pages` are in the order in which the answer needs them, `pictures` by block id. `left_out` lists the pages that
    are not shown, each with the reason."""

    answer: AnswerData
    pages: tuple[PageImage, ...]
    pictures: Mapping[str, Picture]
    left_out: tuple[tuple[str, str], ...] = ()
