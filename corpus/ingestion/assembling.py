"""From what a reader gave to what an index takes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from corpus.blocks import Block
from corpus.documents import Document
from corpus.index.protocol import NewBlock
from corpus.ingestion.describing import kind_of, title_of
from corpus.ingestion.fingerprints import Fingerprint
from corpus.ingestion.summaries import summaries
from corpus.readers.protocol import ReadBlock, ReadDocument


def assembled(
    path: Path,
    read: ReadDocument,
    state: Fingerprint,
    *,
    doc_id: str,
    reader_version: str,
    document_type: str | None,
    department: str | None,
    access: tuple[str, ...],
) -> tuple[Document, list[NewBlock]]:
    """The document and its blocks, each block with the document's access list."""
    brief, standard = read.summaries or summaries(read)
    document = Document(
        doc_id=doc_id,
        filename=path.name,
        title=title_of(path, read),
        document_type=document_type or kind_of(path, read),
        upload_date=datetime.now(UTC).isoformat(timespec="seconds"),
        document_date=read.document_date,
        author=read.author,
        department=department,
        page_count=read.page_count,
        summary_brief=brief,
        summary_standard=standard,
        language=read.language,
        access_control_list=access,
        source_path=str(path),
        source_size=state.size,
        source_mtime_ns=state.mtime_ns,
        content_hash=state.content_hash,
        reader_version=reader_version,
        warnings=read.warnings,
        outline=read.outline,
        page_labels=read.page_labels,
    )
    return document, [_new(doc_id, n, block, access) for n, block in enumerate(read.blocks)]


def _new(doc_id: str, number: int, read: ReadBlock, access: tuple[str, ...]) -> NewBlock:
    block = Block(
        block_id=f"{doc_id}-{read.place}",
        doc_id=doc_id,
        block_type=read.block_type,
        content=read.content,
        image_caption=read.image_caption,
        page_number=read.page_number,
        page_label=read.page_label,
        chunk_number=number,
        heading=read.heading,
        bbox=read.bbox,
        start_line=read.start_line,
        end_line=read.end_line,
        char_start=read.char_start,
        char_end=read.char_end,
        language=read.language,
        access_control_list=access,
    )
    return NewBlock(block, read.picture, read.lines)
