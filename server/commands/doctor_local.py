"""Check the local index and the reading processes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.diagnostics import Finding
from corpus.errors import InternalError, UnreadableDocument
from server.commands import doctor_parts
from server.commands.finding import Clock, Say, tried
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder

INGEST = "`ibid ingest FOLDER` makes one."


async def examine(settings: Settings, say: Say) -> None:
    """Report findings of the data folder, identity, embedder, index and reading processes."""
    there = _folder(settings.data_dir)
    say(there)
    if open_to_others := _written_by_others(settings.data_dir):
        say(open_to_others)
    doctor_parts.identity(settings, say)
    embedder = await doctor_parts.embedder(settings, say)
    if there.level != "failed" and (settings.data_dir / "index.sqlite3").exists():
        say(await tried("index", lambda: _index(settings, embedder), seconds=12.0))
    say(await tried("readers", _readers, seconds=12.0))
    if settings.azure_search_endpoint:
        say(
            Finding(
                "note", "service",
                "AZURE_SEARCH_ENDPOINT is set, and its service was not looked at: `RAG_BACKEND=azure ibid doctor` "
                "looks at it instead of this",
            )
        )  # fmt: skip


def _folder(folder: Path) -> Finding:
    if not folder.exists():
        return Finding("warning", "folder", f"{folder} is not there yet, so there is no index.", INGEST)
    if not folder.is_dir():
        return Finding("failed", "folder", f"{folder} is no folder.", "Point RAG_DATA_DIR at one.")
    if not os.access(folder, os.R_OK | os.X_OK):
        return Finding("failed", "folder", f"{folder} may not be read by this user.", "Change its rights.")
    if not (folder / "index.sqlite3").exists():
        return Finding("warning", "folder", f"{folder} holds no index.", INGEST)
    if not os.access(folder, os.W_OK):
        return Finding(
            "note", "folder", f"{folder} can be read and not written: searches work, ingestion does not"
        )
    return Finding("ok", "folder", str(folder))


def _written_by_others(folder: Path) -> Finding | None:
    """Who else of this machine may write there, and so decides what is answered."""
    if os.name == "nt" or not folder.is_dir() or not (others := folder.stat().st_mode & 0o022):
        return None
    who = "everybody" if others & 0o002 else "their group"
    return Finding(
        "warning", "folder",
        f"{folder} can be written by {who}, who may change documents and who reads them.", f"`chmod go-w {folder}`",
    )  # fmt: skip


async def _index(settings: Settings, embedder: Embedder | None) -> Finding:
    """Opened, counted and searched."""
    from corpus.access import Caller
    from corpus.index.local import LocalIndex
    from corpus.search import Search

    everyone, clock = Caller(unfiltered=True), Clock()
    index = LocalIndex.open(
        settings.data_dir,
        embedder,
        principal_prefixes=settings.principal_prefixes,
        create=False,
        busy_seconds=5.0,
    )
    try:
        counts = await index.counts(everyone)
        await index.find(Search(doctor_parts.QUERY, top_k=1), everyone)
    finally:
        await index.aclose()
    contents = f"{counts.documents} documents, {counts.blocks} blocks, {counts.images} of them figures"
    if counts.without_vector and embedder:
        cure = "`ibid ingest` on any indexed folder goes on with them."
        return Finding(
            "warning", "index", f"{contents}; {counts.without_vector} vectors are still to come.", cure
        )
    return Finding("ok", "index", f"{contents}; opened and searched in {clock}")


async def _readers() -> Finding:
    """A small file is read in a process of its own."""
    from corpus.readers.sandbox.pool import ReadingProcesses

    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ready.md"
        file.write_text("# Ready\n\nA line to read.\n", encoding="utf-8")
        try:
            async with ReadingProcesses() as reading:
                await reading.read(file)
        except UnreadableDocument as error:
            raise InternalError(f"A reading process could not read a file of one line: {error}.") from error
    return Finding("ok", "readers", f"a file was read in a process of its own in {clock}")
