"""What a synthesis is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.filters import Filters

CitationStyle = Literal["inline", "source"]
"""`inline`: [N] after each claim and a list below; `source`: (Source: manual.pdf, S. 46) after each piece."""

WritingMode = Literal["auto", "llm", "compose"]
"""`auto`: a model where there is one; `llm`: a model is wanted, and its absence is told; `compose`: no model."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What another tool of the client found, such as a page of the web: handed in, not of the index."""

    text: str
    url: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class SynthesisRequest:
    """`block_ids` are answered from in the order given, instead of a search. `max_tokens` bounds the answer. Without
    a style, a model's answer is cited inline and a composed one by source."""

    query: str
    filters: Filters = field(default_factory=Filters)
    top_k: int = 10
    block_ids: tuple[str, ...] = ()
    observations: tuple[Observation, ...] = ()
    history: tuple[Turn, ...] = ()
    mode: WritingMode = "auto"
    citation_style: CitationStyle | None = None
    max_tokens: int = 1000


@dataclass(frozen=True, slots=True)
class SourceReference:
    """A source as an answer numbers it: a block by its id, or a text of the client's own."""

    number: int
    block_id: str | None = None
    observation: Observation | None = None
