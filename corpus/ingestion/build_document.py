"""Build the document and blocks that an index stores from a reader's result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import anyio.to_thread

from corpus.access import PUBLIC
from corpus.documents.block import Block
from corpus.documents.document import Document, LinkedPicture
from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.index.protocol import NewBlock
from corpus.ingestion.access_lists import AccessList, AccessRules
from corpus.ingestion.file_decision import ExistingDocuments, Fingerprint, fingerprint
from corpus.ingestion.paths import is_under
from corpus.ingestion.summaries import summaries
from corpus.ingestion.walk import Scope, Walk
from corpus.readers.formats import CODE, IMAGES, MAIL, SHEETS, SLIDES, TABLES, WEB
from corpus.readers.protocol import PictureFiles, ReadBlock, ReadDocument


@dataclass
class NeighbourPictures:
    """Picture files that documents show. `roots` are the folders of the run, or the folder of a file given as a
    path."""

    roots: Sequence[Path]
    scope: Scope
    existing: ExistingDocuments
    rules: AccessRules
    _states: dict[str, Fingerprint] = field(default_factory=dict)

    async def refused(self, access: AccessList, pictures: PictureFiles) -> frozenset[str]:
        """Return the paths of the pictures that a document with this access list may not show."""
        return await anyio.to_thread.run_sync(
            lambda: frozenset(path for path, digest in pictures if not self._may_show(access, path, digest))
        )

    def stored_pictures(self, pictures: PictureFiles) -> tuple[LinkedPicture, ...]:
        """Return the pictures with their sizes and mtimes, which are stored with the document to detect changes."""
        states = [(path, digest, self._states.get(path)) for path, digest in pictures]
        return tuple(
            LinkedPicture(path, digest, state.size, state.mtime_ns)
            for path, digest, state in states
            if state is not None
        )

    async def are_unchanged(self, document: Document) -> bool:
        """Return whether the document's pictures are unchanged and still allowed, and its withheld pictures are still
        not allowed."""
        access, pictures = document.access_control_list, document.shown
        if pictures and await self.refused(access, tuple((path, digest) for path, digest, *_ in pictures)):
            return False
        if not document.withheld:
            return True
        return not await anyio.to_thread.run_sync(
            lambda: any(self._may_show(access, path) for path in document.withheld)
        )

    def may_still_show(self, document: Document) -> bool:
        """Return whether the document's readers may see its pictures, without reading the files."""
        access = document.access_control_list
        return all(self._may_read(access, picture.path, picture.content_hash) for picture in document.shown)

    def _may_read(self, access: AccessList, path: str, digest: str) -> bool:
        document = self.existing.at.get(path)
        of_place = (PUBLIC,) if document is None else document.access_control_list
        is_within = PUBLIC in of_place or (PUBLIC not in access and set(access) <= set(of_place))
        return is_within and self.rules.allows(access, digest)

    def _may_show(self, access: AccessList, path: str, digest: str | None = None) -> bool:
        """Return whether the picture may be shown if it has the content with this digest, or its current content if
        `digest` is None."""
        try:
            walk = self._walk_to(Path(path))
            if walk is None:
                return False
            self._states[path] = state = fingerprint(Path(path), walk.within)
        except (UnreadableDocument, InvalidRequest):
            return False
        return digest in (None, state.content_hash) and self._may_read(access, path, state.content_hash)

    def _walk_to(self, path: Path) -> Walk | None:
        """Return a walk that reaches the file, regardless of the file's kind, or None."""
        roots = [root if root.is_dir() else root.parent for root in self.roots]
        for root in roots:
            if root not in path.parents:
                continue
            walk = Walk(roots, frozenset({path.suffix.lower()}), self.scope.follow_links, apart=self.scope.apart)
            walk.part_of(root, path)
            if path in walk.files:
                return walk
        return None


def documents_that_show(changed: Sequence[Path], documents: Iterable[Document]) -> list[Path]:
    """Return the paths of the documents with a shown or withheld picture at or below one of these paths."""
    return [
        Path(document.source_path)
        for document in documents
        if any(is_under(Path(path), place) for path in _beside(document) for place in changed)
    ]


def _beside(document: Document) -> tuple[str, ...]:
    return (*(picture.path for picture in document.shown), *document.withheld)


_KINDS = (
    ("Manual", r"manual|handbook|guide|instructions?|handbuch|anleitung|leitfaden|manuel"),
    ("Report", r"reports?|review|bericht|protokoll|rapport"),
    ("Slides", r"slides|presentation|deck|folien|präsentation"),
    ("Paper", r"paper|preprint|proceedings|arxiv"),
)
"""English, German and French words in a file name or title that identify the document type."""
_FORMATS = (
    ("Slides", SLIDES),
    ("Spreadsheet", SHEETS | TABLES),
    ("Web page", WEB),
    ("Mail", MAIL),
    ("Image", IMAGES),
    ("Code", CODE),
)


def title_of(path: Path, read: ReadDocument) -> str:
    """Return the document's title, or a title derived from the file name."""
    return read.title or re.sub(r"[_\s]+", " ", path.stem).strip() or path.name


def kind_of(path: Path, read: ReadDocument) -> str:
    """Return one of DOCUMENT_TYPES, based on the file format if that is sufficient, otherwise on the name and title."""
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
