"""What answers are written with, as the wiring hands it in."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.embedding.protocol import Embedder
from corpus.generation.protocol import TextGenerator
from corpus.synthesis.model_judge import ModelJudge
from corpus.synthesis.prompting import MAX_TOKENS, Instructions, TokenCounter
from corpus.text.normalization import token_estimate

NO_INSTRUCTIONS = Instructions("", "none")


@dataclass(frozen=True, slots=True)
class Pen:
    """How models write: with which instructions, and the configured one if there is one.

    `keep` is how many seconds a written answer serves again, `seconds` how long all writers of one answer have
    together; `context_tokens` bounds a prompt. `embedder` compares sentences with questions and claims: the packaged
    one, which was measured for it. `judge` gives a verdict where words leave one open.
    """

    instructions: Instructions = NO_INSTRUCTIONS
    endpoint: TextGenerator | None = None
    count: TokenCounter = token_estimate
    temperature: float = 0.2
    keep: float = 600.0
    seconds: float = 40.0
    embedder: Embedder | None = None
    context_tokens: int = MAX_TOKENS
    judge: ModelJudge | None = None


ALONE = Pen()
"""No model writes."""
