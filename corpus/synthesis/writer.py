"""The models and limits with which answers are written."""

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
    """The models and limits with which answers are written.

    `endpoint` is the configured model and `instructions` its system prompt. `count` returns the number of tokens in a
    text, and a prompt has at most `context_tokens` tokens. All writers of an answer together have `seconds`. An answer
    is cached for `keep` seconds. `embedder` (the packaged one) compares sentences with questions and claims. `judge`
    decides claims that word overlap leaves at `partly`.
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
"""A pen that writes without a model."""
