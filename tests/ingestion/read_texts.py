"""Results of a reader, for tests of the steps after reading."""

from __future__ import annotations

from corpus.readers.protocol import ReadBlock, ReadDocument


def read(*texts: str, headings: tuple[str | None, ...] = (), **changes: str) -> ReadDocument:
    """Return a document of text blocks, each with its heading if it has one."""
    names = (*headings, *[None] * len(texts))
    blocks = (
        ReadBlock(place=f"p1-{n}", block_type="text", content=text, heading=names[n]) for n, text in enumerate(texts)
    )
    return ReadDocument(blocks=tuple(blocks), **changes)  # type: ignore[arg-type]
