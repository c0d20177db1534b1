"""The language models that a tool may use; the server passes them in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from corpus.generation.protocol import TextGenerator


@dataclass(frozen=True, slots=True)
class Models:
    """`endpoint` is the configured one; `sampling` tells whether the client's model may be asked, where it has one.

    `llm_generate` is the system text of that tool; without it the tool is not listed. The client's model is waited for
    `sampling_seconds`, a person's approval included; `silent` are the sessions in which it did not answer once.
    """

    endpoint: TextGenerator | None = None
    sampling: bool = True
    llm_generate: str | None = None
    sampling_seconds: float = 20.0
    silent: WeakSet[Any] = field(default_factory=WeakSet, compare=False)
