"""Upload one document: its rows, vectors and pictures.

Pictures go into the private container under names that cannot be guessed.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.errors import DocumentNotFound, UnreadableDocument
from corpus.index.azure.pictures import page_name, pages_name, picture_name
from corpus.index.azure.upload.batches import Refused
from corpus.index.azure.upload.outcomes import PushKind
from corpus.index.azure.upload.remote_state import UploadMark, mark_of
from corpus.index.azure.upload.uploading import Uploader, Waiting
from corpus.index.protocol import NewBlock
from corpus.processes.gather import gather

if TYPE_CHECKING:
    from corpus.evidence_page import PageRenderer
    from corpus.index.azure.pictures import Container, PictureStore
    from corpus.index.local import LocalIndex
    from corpus.index.local.index_reader import WholeDocument


FILE = "azure-picture-names"
MAX_PAGE_BYTES = 150_000
_SECRET_BYTES = 32
_KEEPER = Caller(unfiltered=True)


@dataclass(frozen=True, slots=True)
class PictureNames:
    """Blob names of a document's pictures: the names of its figures, by block id, and the folder of its pages."""

    figures: Mapping[str, str] = field(default_factory=dict)
    pages: str | None = None


@dataclass(frozen=True, slots=True)
class PictureUpload:
    """Uploads pictures. `secret` makes blob names impossible to guess. If `renderer` is None, pages are not
    uploaded."""

    container: Container
    store: PictureStore
    secret: bytes = field(repr=False)
    renderer: PageRenderer | None = None

    def mark(self, document: Document, *, figures: bool) -> str | None:
        """Return the `pictures` part of this document's upload mark, or None if it has no pictures."""
        kinds = [self.container.digest] if figures else []
        kinds += ["pages"] if self.renderer and has_pages(document) else []
        return "+".join(kinds) or None

    async def upload(self, whole: WholeDocument, local: LocalIndex) -> PictureNames:
        """Upload the figures and pages of a document. Raises the same errors as `PictureStore`."""
        figures: dict[str, str] = {}
        for block in whole.blocks:
            if block.block_type == "image":
                picture = await local.picture(block.block_id, _KEEPER)
                figures[block.block_id] = picture_name(self.secret, picture)
                await self.store.put(figures[block.block_id], picture)
        return PictureNames(figures, await self._pages(whole.document))

    async def _pages(self, document: Document) -> str | None:
        """Upload the pages, and return their folder, or None if no page can be drawn, for example because the file has
        changed."""
        if self.renderer is None or not has_pages(document):
            return None
        folder, drawn = pages_name(self.secret, document.doc_id, document.content_hash), False
        path = Path(document.source_path)
        for page_number in range(1, (document.page_count or 0) + 1):
            with suppress(UnreadableDocument):
                page = await anyio.to_thread.run_sync(path.is_file) and await self.renderer.render_page(
                    path, page_number, content_hash=document.content_hash, max_bytes=MAX_PAGE_BYTES
                )
                if page:
                    await self.store.put(page_name(folder, page_number), page)
                    drawn = True
        return folder if drawn else None


def has_pages(document: Document) -> bool:
    """Return whether the document's pages can be drawn."""
    return bool(document.page_count) and document.source_path.lower().endswith(".pdf")


def naming_secret(folder: Path) -> bytes:
    """Return the secret for picture names of a local index: 32 random bytes in a file that only this user can read. The
    first call creates the file.

    If the file is lost, pictures get new names and are uploaded again.
    """
    file = folder / FILE
    if not file.exists():
        handle, new = tempfile.mkstemp(dir=folder)  # 0600
        try:
            with os.fdopen(handle, "wb") as made:
                made.write(secrets.token_bytes(_SECRET_BYTES))
            with suppress(FileExistsError):
                os.link(new, file)
        finally:
            os.unlink(new)
    secret = file.read_bytes()
    if len(secret) != _SECRET_BYTES:  # damaged: names based on a short secret could be guessed
        file.unlink()
        return naming_secret(folder)
    return secret


class DocumentUpload:
    """Uploads documents from the local index named `origin`. If `embedder` or `pictures` is None, vectors or pictures
    are omitted. `without_picture` counts the figures whose pictures were omitted."""

    def __init__(
        self,
        local: LocalIndex,
        uploader: Uploader,
        *,
        origin: str,
        embedder: str | None,
        pictures: PictureUpload | None,
    ) -> None:
        self.origin, self.embedder = origin, embedder
        self.without_picture = 0
        self.final_marks: dict[str, UploadMark] = {}
        """Upload marks written by this run, by document id."""
        self._local, self._uploader = local, uploader
        self._pictures = pictures

    async def state(self, document: Document) -> UploadMark:
        """Return the upload mark that the document gets after a complete upload."""
        pictures = None
        if self._pictures:
            figures = await self._local.figures(document.doc_id, _KEEPER)
            pictures = self._pictures.mark(document, figures=bool(figures))
        where = self._uploader.content_index
        return mark_of(document, self.origin, where, embedder=self.embedder, pictures=pictures)

    async def whole(self, doc_id: str) -> WholeDocument:
        """Return the document with all its blocks. Raises DocumentNotFound."""
        return await self._local.whole(doc_id)

    async def carry(self, whole: WholeDocument, before: UploadMark | None, on_wait: Waiting) -> PushKind:
        """Upload a document. If the blocks described by the mark `before` are still current, upload only its facts
        (`updated`), otherwise everything (`pushed`)."""
        wanted = await self.state(whole.document)
        if before and before.same_blocks(wanted) and await self._updated(whole, wanted.keeping(before)):
            self.final_marks[whole.document.doc_id] = self._uploader.final_mark(wanted.keeping(before))
            return "updated"
        await self._replace(whole, wanted, on_wait)
        self.final_marks[whole.document.doc_id] = self._uploader.final_mark(wanted)
        return "pushed"

    async def second_look(self) -> list[str]:
        """Return the ids of documents whose rows were changed by an upload from another data folder in the meantime.
        Access to these rows is closed."""
        look = await self._uploader.second_look()
        if look is None or not self.final_marks:
            return []
        marks = await look.await_marks(self.final_marks)
        conflicts: list[str] = []

        async def check(doc_id: str) -> None:
            with suppress(DocumentNotFound):  # removed from the local index in the meantime
                whole = await self.whole(doc_id)
                if not await look.check(whole.document, whole.blocks, self.final_marks[doc_id], marks[doc_id]):
                    conflicts.append(doc_id)

        await gather([partial(check, doc_id) for doc_id in marks], at_once=4)
        return sorted(conflicts)

    async def narrow(self, document: Document) -> None:
        """Restrict access to the previous version to readers who are on both its list and the new one."""
        await self._uploader.narrow(document, await self.state(document))

    async def remove(self, doc_id: str) -> None:
        """Remove the document from the service."""
        await self._uploader.remove(doc_id)

    async def _updated(self, whole: WholeDocument, wanted: UploadMark) -> bool:
        """Update facts and access lists. Return False if the service refuses a row, for example because a block is
        missing."""
        try:
            await self._uploader.update(whole.document, [one.block_id for one in whole.blocks], wanted)
        except Refused:
            return False
        return True

    async def _replace(self, whole: WholeDocument, wanted: UploadMark, on_wait: Waiting) -> None:
        # This comes before the upload of pictures, which may fail, because a revocation must not wait for it.
        before = await self._uploader.begin(whole.document, wanted, on_wait)
        names = PictureNames()
        if self._pictures is None:
            self.without_picture += sum(block.block_type == "image" for block in whole.blocks)
        else:
            names = await self._pictures.upload(whole, self._local)
        vectors = whole.vectors if self.embedder else {}
        blocks = [NewBlock(block) for block in whole.blocks]
        await self._uploader.fill(
            whole.document, blocks, vectors, before=before, image_urls=names.figures, pages=names.pages,
            pushed=wanted,
        )  # fmt: skip
