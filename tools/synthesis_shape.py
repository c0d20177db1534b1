"""What rag_synthesize answers: the text, its sources, and how far to trust it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from corpus.citations import line_range, printed_label
from corpus.synthesis.answer import AnswerMode, Source, Synthesis
from tools import bounds
from tools.places import block_uri, file_link
from tools.promise import ROWS, Answer, Shape
from tools.rag_semantic_search import FoundBlock, cut_warnings, found_blocks

PREVIEW = 100
"""Letters of a source shown with it."""

LONGEST_ANSWER = 4000
"""Tokens; what the answer is made of is bounded far below, except for a caption that is none."""

MOST_CLAIMS = 20
LONGEST_WARNING = 150
LONGEST_URL = 500
"""Letters; a longer one is left out, since a part of an address leads nowhere."""
LONGEST_CLAIM = 60
"""Tokens of a claim that is told of."""


class SourceShape(Shape):
    citation_number: int
    citation: str
    block_id: str | None = Field(default=None, description="null for an observation that you passed.")
    doc_id: str | None = None
    filename: str | None = None
    page_number: int | None = None
    page_label: str | None = None
    line_range: str | None = None
    relevance_score: float | None = Field(default=None, description="0..1; null for blocks that you chose.")
    content_preview: str = ""
    image_url: str | None = None
    url: str | None = Field(default=None, description="Of an observation.")
    uri: str | None = None
    link: str | None = None


class SynthesisAnswer(Answer):
    answer: str = Field(description="Markdown with citations and images; keep both as they are.")
    mode: AnswerMode = Field(description="What wrote it. compose: excerpts, no model; none: see raw_chunks.")
    sources: Annotated[list[SourceShape], WithJsonSchema(ROWS)] = Field(
        default_factory=list,
        description="That the answer cites: citation_number, citation, block_id, filename, page_number, uri and more.",
    )
    confidence: float = Field(description="0..1; under 0.5 say that evidence is limited.")
    confidence_factors: dict[str, float] = Field(default_factory=dict)
    uncited_claims: list[str] = Field(default_factory=list)
    unsupported_claims: list[str] = Field(default_factory=list)
    invalid_citations: list[str] = Field(default_factory=list)
    contradictions: list[str] = Field(default_factory=list)
    raw_chunks: Annotated[list[FoundBlock], WithJsonSchema(ROWS)] = Field(
        default_factory=list,
        description="Only if no answer could be made: blocks as rag_semantic_search has them.",
    )
    cached: bool = False
    model: str | None = Field(default=None, description="That wrote it.")
    prompt_version: str | None = None

    @property
    def counted(self) -> int:
        return len(self.sources)

    @property
    def facts(self) -> dict[str, Any]:
        facts = {"mode": self.mode, "confidence": self.confidence, "cached": self.cached}
        return facts | ({"model": self.model, "prompt_version": self.prompt_version} if self.model else {})


def answered(made: Synthesis, page_word: str, warnings: tuple[str, ...]) -> SynthesisAnswer:
    told = [*made.warnings[:MOST_CLAIMS], *warnings]
    start = SynthesisAnswer(
        answer="",
        mode=made.mode,
        sources=[_source(source) for source in made.sources],
        confidence=round(made.confidence, 4),
        confidence_factors=made.confidence_factors,
        uncited_claims=_told(made.uncited_claims),
        unsupported_claims=_told(made.unsupported_claims),
        invalid_citations=_told(made.invalid_citations),
        contradictions=_told(made.contradictions),
        cached=made.cached,
        prompt_version=made.prompt_version,
        model=made.model,
        warnings=[bounds.shortened(one, LONGEST_WARNING) for one in told],
    )
    text = _within(made, min(LONGEST_ANSWER, bounds.room(start)))
    said = [*start.warnings, *(["The answer is cut to fit."] if text != made.answer else [])]
    start = start.model_copy(update={"answer": text, "warnings": said})
    chunks = bounds.cut(found_blocks(made.raw_chunks, page_word), "content", bounds.room(start))
    return start.model_copy(update={"raw_chunks": chunks.rows, "warnings": [*said, *cut_warnings(chunks)]})


def _within(made: Synthesis, most: int) -> str:
    """The answer within so many tokens. One that is cut may have lost the end of what was code: it is made harmless
    once more."""
    text = bounds.shortened(made.answer, most)
    if text == made.answer:
        return text
    from corpus.synthesis.inert import allowed, inert

    return inert(text, *allowed(made.sources)).text


def _told(texts: tuple[str, ...]) -> list[str]:
    """The first of them, each within bounds."""
    shown = [bounds.shortened(text, LONGEST_CLAIM) for text in texts[:MOST_CLAIMS]]
    return [*shown, *([f"… and {len(texts) - MOST_CLAIMS} more"] if len(texts) > MOST_CLAIMS else [])]


def _source(source: Source) -> SourceShape:
    shown = SourceShape(citation_number=source.citation_number, citation=source.citation)
    preview = " ".join(source.text[: PREVIEW * 2].split())[:PREVIEW]
    if not source.hit:
        seen = source.observation
        url = seen.url if seen and seen.url and len(seen.url) <= LONGEST_URL else None
        return shown.model_copy(update={"content_preview": preview, "url": url})
    hit, block = source.hit, source.hit.block
    return shown.model_copy(
        update={
            "block_id": block.block_id,
            "doc_id": block.doc_id,
            "filename": hit.document.filename,
            "page_number": block.page_number,
            "page_label": printed_label(block.page_label),
            "line_range": line_range(block),
            "relevance_score": None if hit.score_kind == "none" else round(hit.score, 4),
            "content_preview": preview,
            "image_url": block.image_url,
            "uri": block_uri(block),
            "link": file_link(hit.document.filename, block.page_number),
        }
    )
