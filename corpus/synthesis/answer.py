"""What a synthesis gives back: the answer, its sources, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.citations import without_brackets
from corpus.search import Hit
from corpus.synthesis.request import Observation
from corpus.verification.protocol import CheckedClaim

AnswerMode = Literal["compose", "llm", "none"]
"""`none`: no answer could be written; what was retrieved is handed over as it is."""

NOTHING_FOUND = "No relevant information found"
NOT_IN_SOURCES = "Not found in sources"


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source of an answer: a block of the index, or an observation that the client handed in.

    `citation` is how it is cited: `(Source: manual.pdf, S. 46)`, or `[Source: URL]`.
    """

    citation_number: int
    citation: str
    hit: Hit | None = None
    observation: Observation | None = None

    @property
    def name(self) -> str:
        """Its citation without the brackets: `manual.pdf, S. 46`."""
        return without_brackets(self.citation)

    @property
    def text(self) -> str:
        """What it says; for an image its caption and the words in the figure."""
        if self.observation:
            return self.observation.text
        if not self.hit:
            return ""
        block = self.hit.block
        return "\n\n".join(part for part in (block.image_caption, block.content) if part)

    @property
    def language(self) -> str | None:
        return self.hit.block.language if self.hit else None


@dataclass(frozen=True, slots=True)
class Synthesis:
    """`confidence` is the chance, 0..1, that the answer answers the question; its factors say how.

    `sources` are those that the answer cites, or all that were offered where it cites none. `raw_chunks` is filled
    only where no answer could be written. `model` and `prompt_version` are those of a model's answer.
    `answered` is False where the reply only says that the documents do not answer.
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
        return tuple(claim.claim.text for claim in self.claims if claim.verdict == "uncited")

    @property
    def unsupported_claims(self) -> tuple[str, ...]:
        return tuple(claim.claim.text for claim in self.claims if claim.is_unsupported)
