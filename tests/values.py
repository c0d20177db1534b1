"""Small values for tests of the domain."""

from __future__ import annotations

from dataclasses import replace

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.search import Hit


def document(doc_id: str = "manual-1", **changes: object) -> Document:
    base = Document(doc_id=doc_id, filename=f"{doc_id}.pdf", title=f"Title of {doc_id}", page_count=9)
    return replace(base, **changes)  # type: ignore[arg-type]


def text_block(content: str, *, page: int | None = 1, doc_id: str = "manual-1", **changes: object) -> Block:
    base = Block(
        block_id=f"{doc_id}-p{page}-{abs(hash_of(content))}",
        doc_id=doc_id,
        block_type="text",
        content=content,
        page_number=page,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def image_block(caption: str | None, *, page: int = 1, doc_id: str = "manual-1", **changes: object) -> Block:
    block_id = f"{doc_id}-p{page}-f1"
    base = Block(
        block_id=block_id,
        doc_id=doc_id,
        block_type="image",
        image_caption=caption,
        image_url=f"rag://blocks/{block_id}/image",
        page_number=page,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def hit(block: Block, score: float = 0.5, **changes: object) -> Hit:
    return Hit(block, document(block.doc_id, **changes), score=score, score_kind="hybrid")


def hash_of(text: str) -> int:
    """Return a hash that is the same in all processes, unlike Python's own for strings."""
    return sum(ord(letter) * (n + 1) for n, letter in enumerate(text))
