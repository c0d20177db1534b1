"""The request for a synthesis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.filters import Filters

CitationStyle = Literal["inline", "source"]
"""Style of the citations. `inline`: [N] after each claim and a list below. `source`: (Source: manual.pdf, S. 46) after
each passage."""

WritingMode = Literal["auto", "llm", "compose"]
"""Mode of writing. `auto`: a model if there is one. `llm`: the same, with a warning if there is none. `compose`: no
model."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A finding of another tool of the client, such as a web page; it is not in the index."""

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
    """A question and how to answer it.

    If `block_ids` are set, these blocks, in this order, replace the search. `max_tokens` limits the length of the
    answer. Without a `citation_style`, a model's answer is cited inline and a composed answer by source.
    """

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
    """A source that an answer cites by number: a block (given by its id) or an observation."""

    number: int
    block_id: str | None = None
    observation: Observation | None = None
