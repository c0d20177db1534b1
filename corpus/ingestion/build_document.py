"""Build the document and blocks that an index stores from what a reader returned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.index.protocol import NewBlock
from corpus.ingestion.change_detection import Fingerprint
from corpus.ingestion.summaries import summaries
from corpus.readers import formats
from corpus.readers.protocol import ReadBlock, ReadDocument

_KINDS = (
    ("Manual", r"manual|handbook|guide|instructions?|handbuch|anleitung|leitfaden|manuel"),
    ("Report", r"reports?|review|bericht|protokoll|rapport"),
    ("Slides", r"slides|presentation|deck|folien|präsentation"),
    ("Paper", r"paper|preprint|proceedings|arxiv"),
)
"""Words in English, German and French, looked for in file name and title."""
_FORMATS = (
    ("Slides", formats.SLIDES),
    ("Spreadsheet", formats.SHEETS | formats.TABLES),
    ("Web page", formats.WEB),
    ("Mail", formats.MAIL),
    ("Image", formats.IMAGES),
    ("Code", formats.CODE),
)


def title_of(path: Path, read: ReadDocument) -> str:
    """Return the document's title, or one made from the file name."""
    return read.title or re.sub(r"[_\s]+", " ", path.stem).strip() or path.name


def kind_of(path: Path, read: ReadDocument) -> str:
    """Return one of DOCUMENT_TYPES, from the format where that is enough, else from name and title."""
    suffix = path.suffix.lower()
    for kind, suffixes in _FORMATS:
        if suffix in suffixes:
            return kind
    words = f"{path.stem} {read.title or ''}".lower().replace("_", " ").replace("-", " ")
    for kind, pattern in _KINDS:
        if re.search(rf"(?:\b|(?<=\w))(?:{pattern})\b", words):
            return kind
    if suffix in (".md", ".markdown", ".txt", ".text", ".rst", ".log"):
        return "Note"
    return "Paper" if _reads_like_a_paper(read.blocks) else "Document"


def _reads_like_a_paper(blocks: Sequence[ReadBlock]) -> bool:
    """Return whether the text has an abstract at its start and references at its end."""
    head = " ".join(block.content for block in blocks[:8])
    tail = " ".join((block.heading or "") + " " + block.content[:200] for block in blocks[-200:])
    return bool(re.search(r"\babstract\b", head, re.IGNORECASE) and re.search(r"\breferences\b", tail, re.IGNORECASE))


def document_and_blocks(
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
    """Return the document and its blocks. Each block has the document's access list."""
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
    return document, [_block(doc_id, n, block, access) for n, block in enumerate(read.blocks)]


def _block(doc_id: str, number: int, read: ReadBlock, access: tuple[str, ...]) -> NewBlock:
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
