"""One document from the local index to the service, with its vectors and pictures."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.errors import DocumentNotFound
from corpus.index.azure.upload.outcomes import PushKind
from corpus.index.azure.upload.picture_upload import PictureNames, PictureUpload
from corpus.index.azure.upload.pushed import Pushed, pushed_state
from corpus.index.azure.upload.uploading import Uploader, Waiting
from corpus.index.azure.upload.writing import Refused
from corpus.index.protocol import NewBlock
from corpus.processes.gather import gather

if TYPE_CHECKING:
    from corpus.index.local import LocalIndex
    from corpus.index.local.reader import WholeDocument

_KEEPER = Caller(unfiltered=True)


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

    async def carry(self, whole: WholeDocument, before: Pushed | None, told: Waiting) -> PushKind:
        """`updated` where the blocks that `before` tells of are still the right ones, else `pushed`."""
        wanted = await self.state(whole.document)
        if before and before.same_blocks(wanted) and await self._updated(whole, wanted.keeping(before)):
            self.final_marks[whole.document.doc_id] = self._uploader.final_mark(wanted.keeping(before))
            return "updated"
        await self._replace(whole, wanted, told)
        self.final_marks[whole.document.doc_id] = self._uploader.final_mark(wanted)
        return "pushed"

    async def second_look(self) -> list[str]:
        """The documents of this run of which another folder changed rows meanwhile, which are closed by now."""
        look = await self._uploader.second_look()
        if look is None or not self.final_marks:
            return []
        marks = await look.marks_once_found(self.final_marks)
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

    async def _replace(self, whole: WholeDocument, wanted: Pushed, told: Waiting) -> None:
        # Before the pictures, which may fail: who lost the right to the document waits for nothing.
        before = await self._uploader.begin(whole.document, wanted, told)
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
