"""Vectors for passages that have none yet; what is done stays done when it is interrupted."""

from __future__ import annotations

import structlog

from corpus.embedding.promise import Embedder
from corpus.index.promise import WritableIndex
from corpus.ingestion.outcomes import Progress

log = structlog.get_logger()

BATCH = 32
"""Passages between two commits: a few seconds of work, and never more than that is lost."""


async def embed_pending(index: WritableIndex, embedder: Embedder, progress: Progress, total: int) -> int:
    """Embed and store until nothing is pending; returns how many vectors were made.

    `total` is how many were pending at the start, for the progress alone.
    """
    done = 0
    progress.vectors(0, total)
    while made := await embed_batch(index, embedder):
        done += made
        progress.vectors(done, max(total, done))
    return done


async def embed_batch(index: WritableIndex, embedder: Embedder) -> int:
    """Embed and store the next few that are pending; how many, 0 where none is."""
    batch = await index.pending(BATCH)
    if batch:
        log.debug("ingest.stage", stage="embedding", passages=len(batch))
        vectors = await embedder.passages([one.text for one in batch])
        await index.store_vectors([one.block_id for one in batch], vectors)
    return len(batch)
