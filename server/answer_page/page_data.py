"""The data of an answer's HTML page, built from a synthesis or a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from corpus.citing.reading import read_citations
from corpus.documents.block import Box, PagePicture, Picture
from corpus.synthesis.answer import Source, Synthesis
from corpus.synthesis.checking import citable
from corpus.synthesis.refusal import answered_words, body_of, without_refusal
from corpus.synthesis.verdict_notes import remove_notes
from corpus.synthesis.verify import Parts
from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_text import citations_once
from server.answer_page.answer_words import AnswerWords, for_people, language_of_answer, words_for


@dataclass(frozen=True, slots=True)
class AnswerData:
    """An answer and the results of its check. Ibid, a model or a person may have written it.

    `text` is Markdown, and the offsets of claims refer to it. `language` is the language of the text, and
    `question_language` is that of the question; each is None if unknown. `answered` says whether the text seems to
    answer the question; it is None if there is no question. If `quoted` is set, the text consists of quotations; these
    always occur in their sources, so a verdict would be meaningless.
    """

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
        """Return the labels around the answer, in its language."""
        return words_for(self.language or self.question_language)

    @property
    def languages(self) -> frozenset[str]:
        """Return the languages of the question and the sources."""
        languages = (self.question_language, *(source.language for source in self.sources))
        return frozenset(filter(None, languages))


@dataclass(slots=True)
class PageImage:
    """A page of a document. `marked` maps the number of each claim to its boxes, in points. `framed` maps the source
    number of each figure in the answer to the boxes of the figure."""

    place: str
    picture: PagePicture
    marked: dict[int, list[Box]] = field(default_factory=dict)
    framed: dict[int, Box] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageData:
    """The pages and pictures of an answer. `pages` are in the order in which the answer refers to them. `pictures` are
    keyed by block id. `left_out` lists the pages that are not shown, each with the reason."""

    answer: AnswerData
    pages: tuple[PageImage, ...]
    pictures: Mapping[str, Picture]
    left_out: tuple[tuple[str, str], ...] = ()


def answer_data(question: str, made: Synthesis) -> AnswerData:
    """Return the data of an answer. The claim marks of the HTML page replace the marks in the text."""
    text = citations_once(remove_notes(made.answer))
    answered = answered_words(made)
    if not answered:
        title, _, _ = text.partition("\n")
        body = without_refusal(body_of(text))
        text = f"{title}\n\n{body}" if title.startswith("# ") else body
    return AnswerData(
        question,
        text,
        sourceless(placed(text, made.claims, made.sources)),
        made.sources,
        for_people(made.warnings, answered=answered),
        made.confidence,
        language=language_of_answer(text, [one.language for one in made.sources]),
        question_language=language_of_answer(question, ()),
        answered=None if made.mode == "none" else answered,
        quoted=made.mode == "compose",
    )


def sourceless(claims: Sequence[CheckedClaim]) -> tuple[CheckedClaim, ...]:
    """Return the claims, without the evidence of claims that cite a missing source: the most similar text in other
    sources is not the text that they cite."""
    return tuple(
        replace(one, evidence=None, missing=()) if one.verdict == "invalid_citation" else one for one in claims
    )


def placed(text: str, claims: Sequence[CheckedClaim], sources: Sequence[Source]) -> tuple[CheckedClaim, ...]:
    """Return the claims with their offsets in this text. A claim that the text does not contain is omitted."""
    read = list(read_citations(text, [citable(source) for source in sources]).claims)
    placed_claims = []
    for checked in claims:
        at = next((n for n, claim in enumerate(read) if claim.text == checked.claim.text), None)
        if at is not None:
            here = read[at]
            placed_claims.append(replace(checked, claim=replace(checked.claim, start=here.start, end=here.end)))
            del read[: at + 1]
    return tuple(placed_claims)
