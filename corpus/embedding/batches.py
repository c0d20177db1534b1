"""Split texts into requests that a service accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.embedding.fitting import fitted

MOST_TEXTS = 128
"""Of one request. OpenAI accepts 2,048; smaller batches lose less when one fails."""
MOST_BYTES = 250_000
"""Of one request. OpenAI accepts 300,000 tokens, and no tokenizer makes more tokens than bytes."""
SHORT = 340
"""Estimated tokens that fit a model with a limit of 512 in any language."""


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, in as few requests as the bounds allow."""
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
    """Return the text cut for a small model, or unchanged where it is short already."""
    return fitted(text, SHORT)
