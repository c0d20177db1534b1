"""Upload one document: its rows, vectors and pictures. Pictures go into the private container under names that cannot
be guessed."""

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
from corpus.index.azure.upload.remote_state import Pushed, pushed_state
from corpus.index.azure.upload.uploading import Uploader, Waiting
from corpus.index.protocol import NewBlock
from corpus.processes.gather import gather

if TYPE_CHECKING:
    from corpus.evidence.page_pictures import PageRenderer
    from corpus.index.azure.pictures import Container, PictureStore
    from corpus.index.local import LocalIndex
    from corpus.index.local.reader import WholeDocument


FILE = "azure-picture-names"
MAX_PAGE_BYTES = 150_000
_SECRET_BYTES = 32
_KEEPER = Caller(unfiltered=True)


@dataclass(frozen=True, slots=True)
class PictureNames:
    """Where the pictures of a document are: blob names by block id, and the folder of its pages."""

    figures: Mapping[str, str] = field(default_factory=dict)
    pages: str | None = None


@dataclass(frozen=True, slots=True)
class PictureUpload:
    """`secret` names the blobs. Without a `renderer`, pages of documents are not uploaded."""

    container: Container
    store: PictureStore
    secret: bytes = field(repr=False)
    renderer: PageRenderer | None = None

    def mark(self, document: Document, *, figures: bool) -> str | None:
        """What the mark of a complete upload says of the pictures of this document; None where it has none."""
        kinds = [self.container.digest] if figures else []
        kinds += ["pages"] if self.renderer and has_pages(document) else []
        return "+".join(kinds) or None

    async def upload(self, whole: WholeDocument, local: LocalIndex) -> PictureNames:
        figures: dict[str, str] = {}
        for block in whole.blocks:
            if block.block_type == "image":
                picture = await local.picture(block.block_id, _KEEPER)
                figures[block.block_id] = picture_name(self.secret, picture)
                await self.store.put(figures[block.block_id], picture)
        return PictureNames(figures, await self._pages(whole.document))

    async def _pages(self, document: Document) -> str | None:
        """The folder; None where no page can be drawn, since the file is gone or is another one by now."""
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
    """Whether pages of the document can be drawn."""
    return bool(document.page_count) and document.source_path.lower().endswith(".pdf")


def naming_secret(folder: Path) -> bytes:
    """32 random bytes that name the pictures of a local index, for this user alone to read; made at the first call.

    Where the file is lost, pictures get other names and are uploaded once more.
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
    if len(secret) != _SECRET_BYTES:  # damaged: of a short secret names could be guessed
        file.unlink()
        return naming_secret(folder)
    return secret


class Carrier:
    """`origin` names the local index; `embedder` and `pictures` are None where vectors or pictures are left out.
    `without_picture` counts the figures whose pictures were left out."""

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
        self.final_marks: dict[str, Pushed] = {}
        """The marks that this run left, by document."""
        self._local, self._uploader = local, uploader
        self._pictures = pictures

    async def state(self, document: Document) -> Pushed:
        """The mark of a complete upload of it."""
        pictures = None
        if self._pictures:
            figures = await self._local.figures(document.doc_id, _KEEPER)
            pictures = self._pictures.mark(document, figures=bool(figures))
        where = self._uploader.content_index
        return pushed_state(document, self.origin, where, embedder=self.embedder, pictures=pictures)

    async def whole(self, doc_id: str) -> WholeDocument:
        """Raises DocumentNotFound."""
        return await self._local.whole(doc_id)

    async def carry(self, whole: WholeDocument, before: Pushed | None, on_wait: Waiting) -> PushKind:
        """`updated` where the blocks that `before` tells of are still the right ones, else `pushed`."""
        wanted = await self.state(whole.document)
        if before and before.same_blocks(wanted) and await self._updated(whole, wanted.keeping(before)):
            self.final_marks[whole.document.doc_id] = self._uploader.final_mark(wanted.keeping(before))
            return "updated"
        await self._replace(whole, wanted, on_wait)
        self.final_marks[whole.document.doc_id] = self._uploader.final_mark(wanted)
        return "pushed"

    async def second_look(self) -> list[str]:
        """The documents of this run of which another folder changed rows meanwhile, which are closed by now."""
        look = await self._uploader.second_look()
        if look is None or not self.final_marks:
            return []
        marks = await look.await_marks(self.final_marks)
        conflicts: list[str] = []

        async def check(doc_id: str) -> None:
            with suppress(DocumentNotFound):  # removed from the local index meanwhile
                whole = await self.whole(doc_id)
                if not await look.check(
                    whole.document, whole.blocks, self.final_marks[doc_id], marks[doc_id]
                ):
                    conflicts.append(doc_id)

        await gather([partial(check, doc_id) for doc_id in marks], at_once=4)
        return sorted(conflicts)

    async def narrow(self, document: Document) -> None:
        await self._uploader.narrow(document, await self.state(document))

    async def remove(self, doc_id: str) -> None:
        await self._uploader.remove(doc_id)

    async def _updated(self, whole: WholeDocument, wanted: Pushed) -> bool:
        """False where blocks are missing that the mark promised."""
        try:
            await self._uploader.update(whole.document, [one.block_id for one in whole.blocks], wanted)
        except Refused:
            return False
        return True

    async def _replace(self, whole: WholeDocument, wanted: Pushed, on_wait: Waiting) -> None:
        # Before the pictures, which may fail: who lost the right to the document waits for nothing.
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
