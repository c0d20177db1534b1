"""Texts as a service takes them: not too many, not too large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.embedding.fitting import fitted

MOST_TEXTS = 128
MOST_BYTES = 250_000
"""Of one request. OpenAI takes 300,000 tokens, and no tokenizer makes more tokens than bytes."""
SHORT = 340
"""Tokens, as estimated: what a model with room for 512 takes in any language."""


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in as few requests as the bounds allow."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == MOST_TEXTS or size + length > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def shorter(text: str) -> str:
    """The text as a small model takes it; the same where it is short already."""
    return fitted(text, SHORT)
