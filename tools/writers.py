"""The language models that a tool may use; the server passes them in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from corpus.generation.protocol import TextGenerator


@dataclass(frozen=True, slots=True)
class Models:
    """`endpoint` is the configured model; `sampling` says whether the client's own model may be used.

    `llm_generate` is the system prompt of that tool; None does not list it. `sampling_seconds` limits the wait for the
    client's model, the user's approval included. `silent` holds the sessions in which it once timed out.
    """

    endpoint: TextGenerator | None = None
    sampling: bool = True
    llm_generate: str | None = None
    sampling_seconds: float = 20.0
    silent: WeakSet[Any] = field(default_factory=WeakSet, compare=False)
