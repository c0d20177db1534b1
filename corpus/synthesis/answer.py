"""The result of a synthesis: the answer, its sources, and its confidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.citations import without_brackets
from corpus.search import Hit
from corpus.synthesis.request import Observation
from corpus.verification.protocol import CheckedClaim

AnswerMode = Literal["compose", "llm", "none"]
"""How the answer was written. With `none`, no answer could be written and the retrieved blocks are returned
unchanged."""

NOTHING_FOUND = "No relevant information found"
NOT_IN_SOURCES = "Not found in sources"


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source of an answer: an index block (`hit`), or an observation from the client.

    `citation` includes its brackets: `(Source: manual.pdf, S. 46)` or `[Source: URL]`.
    """

    citation_number: int
    citation: str
    hit: Hit | None = None
    observation: Observation | None = None

    @property
    def name(self) -> str:
        """Return the citation without its brackets: `manual.pdf, S. 46`."""
        return without_brackets(self.citation)

    @property
    def text(self) -> str:
        """Return the text of the source; for an image, its caption and the words in its picture."""
        if self.observation:
            return self.observation.text
        if not self.hit:
            return ""
        block = self.hit.block
        return "\n\n".join(part for part in (block.image_caption, block.content) if part)

    @property
    def language(self) -> str | None:
        """Return the language code of the block, or None for an unknown language or an observation."""
        return self.hit.block.language if self.hit else None


@dataclass(frozen=True, slots=True)
class Synthesis:
    """An answer and the result of checking it.

    `confidence` (0..1) is the probability that the answer is correct; `confidence_factors` contains the values from
    which it was computed. `sources` contains the sources that the answer cites, or all sources if it cites none.
    `raw_chunks` is filled only in mode `none`. `model` and `prompt_version` are set only for a model's answer.
    `answered` is False if the reply only says that the documents do not answer the question.
    """

    answer: str
    mode: AnswerMode
    sources: tuple[Source, ...] = ()
    confidence: float = 0.0
    confidence_factors: dict[str, float] = field(default_factory=dict)
    claims: tuple[CheckedClaim, ...] = ()
    invalid_citations: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    raw_chunks: tuple[Hit, ...] = ()
    cached: bool = False
    model: str | None = None
    prompt_version: str | None = None
    answered: bool = True

    @property
    def uncited_claims(self) -> tuple[str, ...]:
        """Return the texts of claims without a citation."""
        return tuple(claim.claim.text for claim in self.claims if claim.verdict == "uncited")

    @property
    def unsupported_claims(self) -> tuple[str, ...]:
        """Return the texts of claims that their sources do not support."""
        return tuple(claim.claim.text for claim in self.claims if claim.is_unsupported)
