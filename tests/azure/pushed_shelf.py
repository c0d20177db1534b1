"""A shelf that is filled as `ibid azure push` does it for one document."""

from __future__ import annotations

import anyio

from corpus.documents.block import passage_text
from corpus.documents.document import Document
from corpus.index.azure import AzureIndex
from corpus.index.azure.pictures import PictureStore, picture_name
from corpus.index.azure.upload.uploading import Uploader
from corpus.index.protocol import NewBlock
from tests.doubles.digest_embedder import DigestEmbedder

EMBEDDER = DigestEmbedder()


class PushedShelf:
    """A shelf that pushes. `settles` is the number of seconds until the service finds new documents. Pictures go into
    the `store`, if there is one."""

    def __init__(
        self, index: AzureIndex, uploader: Uploader, settles: float = 0.0, store: PictureStore | None = None
    ) -> None:
        self.index, self._uploader, self._settles, self._store = index, uploader, settles, store

    async def put(self, document: Document, *blocks: NewBlock) -> None:
        vectors = await EMBEDDER.passages([passage_text(new.block) for new in blocks])
        by_id = {new.block.block_id: vector.tolist() for new, vector in zip(blocks, vectors, strict=True)}
        names = {}
        for new in blocks if self._store else ():
            if self._store and new.picture:
                names[new.block.block_id] = picture_name(b"secret", new.picture)
                await self._store.put(names[new.block.block_id], new.picture)
        await self._uploader.replace(document, blocks, by_id, image_urls=names)
        await anyio.sleep(self._settles)

    async def remove(self, doc_id: str) -> None:
        await self._uploader.remove(doc_id)
        await anyio.sleep(self._settles)
