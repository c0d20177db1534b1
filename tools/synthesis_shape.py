"""The answer of rag_synthesize: text, sources, confidence and unsupported claims."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from corpus.citations import line_range
from corpus.synthesis.answer import AnswerMode, Source, Synthesis
from tools import token_budget
from tools.protocol import ROWS, Answer, Shape
from tools.rag_semantic_search import (
    BlockShape,
    block_shapes,
    cut_warnings,
    how_to_look,
    own_doc_id,
)
from tools.uris import block_uri

MAX_PREVIEW = 100
"""Maximum length of an observation's preview, in characters."""

MAX_ANSWER = 4000
"""Maximum length of the answer text, in tokens. An answer is longer only if it contains misread text in place of a
caption."""

MAX_CLAIMS = 20
MAX_WARNING = 150
MAX_URL = 500
"""Maximum length of a URL, in characters. A longer URL is omitted, because a truncated URL does not work."""
MAX_CLAIM = 60
"""Maximum length of a claim in a warning list, in tokens."""


class SourceShape(Shape):
    """A source of the answer. Fields that are in the answer's text or can be derived from the rest are omitted."""

    citation_number: int
    block_id: str | None = Field(default=None, description="Left out for an observation that you passed.")
    doc_id: str | None = Field(default=None, description="Left out if block_id begins with it.")
    page_number: int | None = None
    line_range: str | None = None
    citation: str | None = Field(default=None, description="Left out if it is in the answer.")
    image_url: str | None = Field(default=None, description="Left out if it is in the answer.")
    url: str | None = Field(default=None, description="Of an observation.")
    content_preview: str | None = Field(default=None, description="Beginning of an observation.")


class SynthesisAnswer(Answer):
    """An answer with its sources, its confidence and its questionable claims."""

    answer: str = Field(description="Markdown with citations and images; keep both as they are.")
    answered: bool = Field(
        default=True, exclude_if=bool, description="false: the documents do not seem to answer; else left out."
    )
    mode: AnswerMode = Field(description="How it was written. compose: excerpts, no model; none: see raw_chunks.")
    sources: Annotated[list[SourceShape], WithJsonSchema(ROWS)] = Field(
        default_factory=list,
        description="Cited in the answer: citation_number, block_id, page_number.",
    )
    confidence: float = Field(description="Probability, 0..1, that it answers; under 0.5 say so.")
    confidence_factors: Annotated[dict[str, float], WithJsonSchema({"type": "object"})] = Field(
        default_factory=dict,
        exclude_if=operator.not_,
        description="Factors that lowered it, and the number of independent sources if not one.",
    )
    uncited_claims: list[str] = Field(default_factory=list, exclude_if=operator.not_)
    unsupported_claims: list[str] = Field(default_factory=list, exclude_if=operator.not_)
    invalid_citations: list[str] = Field(default_factory=list, exclude_if=operator.not_)
    contradictions: list[str] = Field(default_factory=list, exclude_if=operator.not_)
    raw_chunks: Annotated[list[BlockShape], WithJsonSchema(ROWS)] = Field(
        default_factory=list,
        exclude_if=operator.not_,
        description="If no answer could be written: blocks as from rag_semantic_search.",
    )
    cached: bool = Field(default=False, exclude_if=operator.not_)
    figures: str | None = None
    model: str | None = None
    prompt_version: str | None = None

    @property
    def counted(self) -> int:
        """See `Answer`."""
        return len(self.sources)

    @property
    def facts(self) -> dict[str, Any]:
        """See `Answer`."""
        facts = {"mode": self.mode, "confidence": self.confidence, "cached": self.cached}
        return facts | ({"model": self.model, "prompt_version": self.prompt_version} if self.model else {})


def build_answer(
    made: Synthesis, page_word: str, warnings: tuple[str, ...], *, links: bool = False, pages: bool = True
) -> SynthesisAnswer:
    """Return the answer within its budget. With `links`, each citation links to its page. `pages` is set if
    rag_show_page can show figures."""
    hits = [source.hit for source in made.sources if source.hit]
    start = SynthesisAnswer(
        answer="",
        answered=made.answered and made.mode != "none",
        mode=made.mode,
        sources=[_source(source, made.answer) for source in made.sources],
        confidence=round(made.confidence, 2),
        confidence_factors=_factors(made),
        uncited_claims=_bounded(made.uncited_claims),
        unsupported_claims=_bounded(made.unsupported_claims),
        invalid_citations=_bounded(made.invalid_citations),
        contradictions=_bounded(made.contradictions),
        cached=made.cached,
        figures=how_to_look(hits) if pages else None,
        prompt_version=made.prompt_version,
        model=made.model,
        warnings=[token_budget.shortened(warning, MAX_WARNING) for warning in (*made.warnings[:MAX_CLAIMS], *warnings)],
    )
    text = _within(made, min(MAX_ANSWER, token_budget.room(start)))
    if text != made.answer:  # the cut may have removed citations, so the sources must contain them
        start = start.model_copy(update={"sources": [_source(source, text) for source in made.sources]})
    notes = [*start.warnings, *(["The answer is cut to fit."] if text != made.answer else [])]
    text = _linked(text, made.sources) if links else text
    start = start.model_copy(update={"answer": text, "warnings": notes})
    chunks = token_budget.cut(block_shapes(made.raw_chunks, page_word, "none"), "content", token_budget.room(start))
    return start.model_copy(update={"raw_chunks": chunks.rows, "warnings": [*notes, *cut_warnings(chunks)]})


def _within(made: Synthesis, max_tokens: int) -> str:
    """Return the answer, cut to at most `max_tokens`. A cut may leave code unclosed, so the cut text is sanitized
    again."""
    text = token_budget.shortened(made.answer, max_tokens)
    if text == made.answer:
        return text
    from corpus.synthesis.sanitize_markdown import allowed, sanitize_markdown

    return sanitize_markdown(text, *allowed(made.sources)).text


def _linked(text: str, sources: Iterable[Source]) -> str:
    """Link each citation to the resource of its page. The transport may replace this URI later."""
    pages = {source.citation: block_uri(source.hit.block) for source in sources if source.hit}
    for citation, address in pages.items():
        text = text.replace(citation, f"[{citation}]({address})")
    return text


def _bounded(texts: tuple[str, ...]) -> list[str]:
    """Return the first MAX_CLAIMS texts, shortened, and a line with the number of the remaining texts."""
    first = [token_budget.shortened(text, MAX_CLAIM) for text in texts[:MAX_CLAIMS]]
    return [*first, *([f"… and {len(texts) - MAX_CLAIMS} more"] if len(texts) > MAX_CLAIMS else [])]


def _source(source: Source, answer: str) -> SourceShape:
    hit = source.hit
    citation = None if source.citation in answer else source.citation
    if hit is None:
        seen = source.observation
        url = seen.url if seen and seen.url and len(seen.url) <= MAX_URL else None
        preview = " ".join(source.text[: MAX_PREVIEW * 2].split())[:MAX_PREVIEW]
        return SourceShape(
            citation_number=source.citation_number,
            citation=source.citation,
            url=url,
            content_preview=preview,
        )
    block = hit.block
    return SourceShape(
        citation_number=source.citation_number,
        block_id=block.block_id,
        doc_id=own_doc_id(block),
        page_number=block.page_number,
        line_range=line_range(block),
        citation=citation,
        image_url=None if block.image_url and block.image_url in answer else block.image_url,
    )


def _factors(made: Synthesis) -> dict[str, float]:
    """Return the factors that changed the confidence, and the number of independent sources. Omit factors that are 1 or
    equal to the confidence."""
    factors = {name: round(value, 2) for name, value in made.confidence_factors.items()}
    return {name: value for name, value in factors.items() if value not in (1, round(made.confidence, 2))}
