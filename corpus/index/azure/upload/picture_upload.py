"""Pictures of documents on their way into the private container, under names that nobody can guess."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.errors import UnreadableDocument
from corpus.index.azure.pictures import page_name, pages_name, picture_name

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
