"""What the page shows, ready to be rendered."""

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
    `language` is that of the text, `asked` that of the question, None where it is not known. `answered` says whether it
    seems to answer, None where nothing was asked. Text that is `quoted` always stands in its source, so that a verdict
    on it would say nothing."""

    title: str
    text: str
    claims: tuple[CheckedClaim, ...]
    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()
    confidence: float | None = None
    parts: Mapping[int, Parts] = field(default_factory=dict)
    language: str | None = None
    asked: str | None = None
    answered: bool | None = None
    quoted: bool = False

    @property
    def words(self) -> AnswerWords:
        """The words around the answer, in its language."""
        return words_for(self.language or self.asked)

    @property
    def languages(self) -> frozenset[str]:
        """Those that the question and the sources are in."""
        return frozenset(one for one in (self.asked, *(each.language for each in self.sources)) if one)


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
    """`pages` come in the order in which the answer needs them, `pictures` by block id. `left_out` are the places of
    pages that are not shown, each with the reason."""

    told: AnswerData
    pages: tuple[PageImage, ...]
    pictures: Mapping[str, Picture]
    left_out: tuple[tuple[str, str], ...] = ()
