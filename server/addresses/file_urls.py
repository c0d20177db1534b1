"""`RAG_IMAGE_URLS=file`: write pictures into a private folder, and link pages in their files.

For clients on this machine, whose user may read the files anyway.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio.to_thread

from corpus.documents.block import Picture
from corpus.errors import IbidError
from server.addresses.rewrite import Addresses, pages, picture_ids
from tools.protocol import CallerOf, LibraryOf

KEPT_SECONDS = 24 * 3600
"""Seconds until an unused file is deleted."""
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


class FileAddresses(Addresses):
    """MCP middleware that replaces resource URIs by file URLs."""

    def __init__(self, library: LibraryOf, caller_of: CallerOf, folder: Path) -> None:
        super().__init__(self._files)
        self._library, self._caller_of, self._folder = library, caller_of, folder

    async def _files(self, addresses: set[str], answer: Mapping[str, Any]) -> dict[str, str]:
        library, caller = await self._library(), self._caller_of()
        urls = {}
        for address, block_id in picture_ids(addresses).items():
            with suppress(IbidError, OSError):  # the answer does without it
                picture = await library.picture(block_id, caller)
                urls[address] = await anyio.to_thread.run_sync(partial(save_picture, picture, self._folder))
        for address, (doc_id, page) in pages(addresses).items():
            with suppress(IbidError, ValueError):
                path = Path((await library.get_document(caller, doc_id=doc_id)).document.source_path)
                urls[address] = path.as_uri() + (f"#page={page}" if page is not None else "")
        return urls


def save_picture(picture: Picture, folder: Path) -> str:
    """Save the picture in the folder, which only this user may read, and return its URL. Deletes files older than a
    day."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = sha256(picture.data).hexdigest()[:32] + _ENDINGS.get(picture.mime_type, "")
    path = folder / name
    _forget_old(folder)
    if path.exists():
        os.utime(path)
    else:
        beside = folder / f".{name}.{os.getpid()}"
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(picture.data)
        beside.replace(path)
    return path.absolute().as_uri()


def _forget_old(folder: Path) -> None:
    before = time.time() - KEPT_SECONDS
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()
