"""A user's machine with a local index and a service, for the tests of the commands."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from click.testing import CliRunner, Result

from corpus.documents.document import Document
from corpus.embedding.packaged import PackagedEmbedder
from corpus.index import azure
from corpus.index.azure.service.clients import Timing
from corpus.index.azure.upload.uploading import Uploader
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from server.commands.group import ibid
from tests.doubles.azure_search import StandIn
from tests.doubles.digest_embedder import DigestEmbedder


def packaged_like() -> DigestEmbedder:
    """Return an embedder with the name of the packaged one, which would be slow."""
    return DigestEmbedder(PackagedEmbedder.id, PackagedEmbedder.dimensions)


class Shop:
    """A user's machine. `run` runs the command line with its settings."""

    def __init__(self, folder: Path, service: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.service, self._settings = folder, service, monkeypatch
        self.set(
            RAG_DATA_DIR=str(folder), RAG_EMBEDDER="none", AZURE_SEARCH_ENDPOINT=service.endpoint,
            AZURE_SEARCH_API_KEY=service.admin_key,
        )  # fmt: skip
        # Retries follow without a pause.
        monkeypatch.setitem(cast("dict[str, Any]", Uploader.__init__.__kwdefaults__), "pause", 0.01)
        monkeypatch.setattr(azure, "Timing", partial(Timing, pause=0.01, longest_pause=0.05))

    def set(self, **settings: str | None) -> None:
        for name, value in settings.items():
            if value is None:
                self._settings.delenv(name, raising=False)
            else:
                self._settings.setenv(name, value)

    def run(self, *arguments: str) -> Result:
        result = CliRunner().invoke(ibid, list(arguments))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        return result

    def put(self, document: Document, *blocks: NewBlock, vectors: bool = False) -> None:
        """Add a document to the local index, which the first call creates."""

        async def go() -> None:
            embedder = packaged_like() if vectors else None
            index = LocalIndex.open(self.folder, embedder)
            await index.replace(document, blocks)
            if embedder:
                while pending := await index.pending(100):
                    found = await embedder.passages([one.text for one in pending])
                    await index.store_vectors([one.block_id for one in pending], found)
            await index.aclose()

        anyio.run(go)

    def remove(self, doc_id: str) -> None:
        async def go() -> None:
            index = LocalIndex.open(self.folder, None)
            await index.remove(doc_id)
            await index.aclose()

        anyio.run(go)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the command in a separate process, which can be interrupted."""
        command = [str(Path(sys.executable).with_name("ibid")), *arguments]
        return subprocess.Popen(
            command, env=dict(os.environ), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
