"""What a synthesis gives back: the answer, its sources, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.search import Hit

AnswerMode = Literal["compose", "llm", "none"]

NOTHING_FOUND = "No relevant information found"


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered block behind an answer."""

    citation_number: int
    hit: Hit
    citation: str


@dataclass(frozen=True, slots=True)
class Synthesis:
    """`confidence` is 0..1 and starts from the number of independent sources; its factors say how."""

    answer: str
    mode: AnswerMode
    sources: tuple[Source, ...] = ()
    confidence: float = 0.0
    confidence_factors: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    raw_chunks: tuple[Hit, ...] = ()
