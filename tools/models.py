"""The models that may write for a tool, as the server hands them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.generation.protocol import TextGenerator


@dataclass(frozen=True, slots=True)
class Models:
    """`endpoint` is the configured one; `sampling` tells whether the client's model may be asked, where it has one.

    `llm_generate` is the system text of that tool; without it the tool is not listed.
    """

    endpoint: TextGenerator | None = None
    sampling: bool = True
    llm_generate: str | None = None
