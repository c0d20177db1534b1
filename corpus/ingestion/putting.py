"""What goes into the index for one file: a document that was read, or what is new about one that is there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from corpus.documents import Document
from corpus.index.protocol import WritableIndex
from corpus.ingestion.assembling import assembled
from corpus.ingestion.fingerprints import Fingerprint
from corpus.ingestion.in_force import InForce
from corpus.ingestion.known import Known
from corpus.ingestion.narrowing import Narrowing
from corpus.ingestion.outcomes import Outcome
from corpus.ingestion.pictures import PicturesBeside
from corpus.ingestion.versions import version_read
from corpus.readers.protocol import ReadDocument


@dataclass
class Putting:
    """Each call is one change of the index. `taken` are the files whose documents were put, in that order, and
    `pending` counts their pictures that wait for text recognition. With `again` only documents that are there are put:
    one that was removed meanwhile stays away."""

    index: WritableIndex
    known: Known
    wished: InForce
    narrowing: Narrowing
    pictures: PicturesBeside
    reader_version: str
    reads_pictures: bool = False
    again: bool = False
    taken: list[Path] = field(default_factory=list)
    pending: int = 0

    async def put(
        self, path: Path, read: ReadDocument, state: Fingerprint, before: Document | None
    ) -> Outcome:
        """The document with its blocks and the fingerprint that says it is done, all in one transaction."""
        doc_id = before.doc_id if before else self.known.id_for(path)
        access = self.narrowing.list_for(state.content_hash, before)
        said = self.narrowing.said(path, access, before)
        if before and access != before.access_control_list:
            await self.narrowing.narrow(path, before, state.content_hash)
        wishes = self.wished.wishes
        document, blocks = assembled(
            path,
            read,
            state,
            doc_id=doc_id,
            reader_version=self._version(path, read),
            document_type=wishes.document_type or (before.document_type if before else None),
            department=wishes.department or (before.department if before else None),
            access=access,
        )
        await self.index.replace(
            document, blocks, keep_access=self.wished.keeps_access, only_known=self.again
        )
        self.narrowing.taken_in(path, document)
        self.taken.append(path)
        self.pending += len(read.pending) if self.reads_pictures else 0
        detail = " ".join([*([said] if said else ()), *read.warnings])
        return Outcome("replaced" if before else "added", path, doc_id, detail=detail)

    async def unchanged(self, before: Document, state: Fingerprint) -> Outcome:
        """A file with another time and the same content."""
        touched = replace(before, source_size=state.size, source_mtime_ns=state.mtime_ns)
        if touched != before:
            await self.index.update(touched, keep_access=self.wished.keeps_access)
        return Outcome("unchanged", Path(before.source_path), before.doc_id)

    async def moved(self, before: Document, path: Path, state: Fingerprint) -> Outcome:
        """A document whose file lies here now."""
        place = replace(
            self.wished.on(before),
            source_path=str(path),
            filename=path.name,
            source_size=state.size,
            source_mtime_ns=state.mtime_ns,
        )
        await self.index.update(place, keep_access=self.wished.keeps_access)
        return Outcome("unchanged", path, before.doc_id, detail=f"moved from {before.source_path}")

    def _version(self, path: Path, read: ReadDocument) -> str:
        shown, withheld = self.pictures.shown(read.pictures), self.pictures.withheld(path)
        return version_read(
            self.reader_version, read, shown, tuple(withheld), reads_pictures=self.reads_pictures
        )
