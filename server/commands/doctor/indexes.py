"""Checks of the local index and of Azure AI Search."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.diagnostics import Finding
from corpus.errors import IbidError, InternalError, UnreadableDocument
from server.commands.doctor import services
from server.commands.doctor.services import Clock, Say, failed_check, run_check
from server.settings.model import Settings

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder
    from corpus.index.azure.index_checks import Diagnostics
    from corpus.index.azure.service.connection import Connection


HOW_TO_INGEST = "`ibid ingest FOLDER` creates one."


async def examine_local(settings: Settings, say: Say) -> None:
    """Report findings on the data folder, identity, embedder, index and reading processes."""
    there = _folder(settings.data_dir)
    say(there)
    if open_to_others := _written_by_others(settings.data_dir):
        say(open_to_others)
    services.check_identity(settings, say)
    embedder = await services.check_embedder(settings, say)
    if there.level != "failed" and (settings.data_dir / "index.sqlite3").exists():
        say(await run_check("index", lambda: _index(settings, embedder), seconds=12.0))
    say(await run_check("readers", _readers, seconds=12.0))
    if settings.azure_search_endpoint:
        say(
            Finding(
                "note", "service",
                "AZURE_SEARCH_ENDPOINT is set, but its service was not checked: `RAG_BACKEND=azure ibid doctor` "
                "checks it instead of the local index",
            )
        )  # fmt: skip


def _folder(folder: Path) -> Finding:
    if not folder.exists():
        return Finding("warning", "folder", f"{folder} does not exist yet, so there is no index.", HOW_TO_INGEST)
    if not folder.is_dir():
        return Finding("failed", "folder", f"{folder} is not a folder.", "Set RAG_DATA_DIR to a folder.")
    if not os.access(folder, os.R_OK | os.X_OK):
        return Finding("failed", "folder", f"{folder} cannot be read by this user.", "Change its permissions.")
    if not (folder / "index.sqlite3").exists():
        return Finding("warning", "folder", f"{folder} contains no index.", HOW_TO_INGEST)
    if not os.access(folder, os.W_OK):
        return Finding("note", "folder", f"{folder} is not writable: searches work, ingestion does not")
    return Finding("ok", "folder", str(folder))


def _written_by_others(folder: Path) -> Finding | None:
    """Return a warning if other users of this machine can write to the folder and could thus manipulate answers."""
    if os.name == "nt" or not folder.is_dir() or not (others := folder.stat().st_mode & 0o022):
        return None
    who = "everybody" if others & 0o002 else "its group"
    return Finding(
        "warning", "folder",
        f"{folder} is writable by {who}, so others could change documents and access lists.", f"`chmod go-w {folder}`",
    )  # fmt: skip


async def _index(settings: Settings, embedder: Embedder | None) -> Finding:
    """Open the index, count its documents, and search it."""
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
        await index.find(Search(services.QUERY, top_k=1), everyone)
    finally:
        await index.aclose()
    contents = f"{counts.documents} documents, {counts.blocks} blocks, {counts.images} of them figures"
    if counts.without_vector and embedder:
        cure = "`ibid ingest` on any indexed folder creates them."
        return Finding("warning", "index", f"{contents}; {counts.without_vector} vectors are pending.", cure)
    return Finding("ok", "index", f"{contents}; opened and searched in {clock}")


async def _readers() -> Finding:
    """Read a small file in a separate process."""
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
    return Finding("ok", "readers", f"a file was read in a separate process in {clock}")


CHECK_SECONDS = 10.0
"""Maximum number of seconds for one check."""
AFTER_FIELDS = ("principals", "vectors", "semantic", "access", "documents")


async def examine_azure(settings: Settings, say: Say) -> None:
    """Report findings on the service. Raise NotConfigured without an endpoint."""
    from corpus.index.azure import Timing
    from corpus.index.azure.index_checks import Diagnostics
    from corpus.index.azure.service.connection import Connection
    from server.bootstrap import azure_service, azure_wishes

    timing = Timing(whole=8.0, connect=4.0, read=6.0, retries=1)
    async with Connection(azure_service(settings), timing) as connection:
        checkup = Diagnostics(
            connection, settings.azure_search_content_index, settings.azure_search_documents_index,
            azure_wishes(settings), settings.principal_prefixes,
        )  # fmt: skip
        there = await _service(settings, connection, checkup, say)
        services.check_identity(settings, say)
        embedder = await services.check_embedder(settings, say)
        await _pictures(settings, say)
        if not there:
            say(_skipped("fields", *AFTER_FIELDS))
        elif await _fields(checkup, say):
            if embedder and (settings.azure_embedder or not checkup.says_embedder):
                say(_embedder_finding(settings.azure_embedder, embedder.id))
            await _indexes(connection, checkup, say, lambda: checkup.vectors(embedder))
            if name := settings.azure_knowledge_base:
                from corpus.index.azure.knowledge_base import KnowledgeBase

                check = partial(KnowledgeBase(name).check, connection, checkup.content)
                say(await run_check("knowledge base", check, seconds=CHECK_SECONDS))


async def _pictures(settings: Settings, say: Say) -> None:
    """Report whether the picture container is private and readable, and whether URLs can be signed for it."""
    from corpus.index.azure.pictures import PictureStore
    from server.bootstrap import picture_container

    container = picture_container(settings)
    if container is None:
        text = "AZURE_STORAGE_CONTAINER_URL is not set; figures have the URLs stored in the index, or none"
        say(Finding("note", "pictures", text))
        return
    async with PictureStore(container) as store:
        for check in (store.private, store.readable, store.signs):
            finding = await run_check("pictures", check, seconds=CHECK_SECONDS)
            say(finding)
            if finding.level == "failed":
                return


def _embedder_finding(setting: str | None, embedder: str) -> Finding:
    """Report the current value of RAG_AZURE_EMBEDDER and the correct value."""
    if setting == embedder:
        return Finding("ok", "embedder", f"RAG_AZURE_EMBEDDER is {embedder}, this embedder")
    now = f"it is {setting}" if setting else "it is not set"
    return Finding(
        "note",
        "embedder",
        f"if an index contains vectors of this embedder and does not record that itself, set "
        f"RAG_AZURE_EMBEDDER={embedder}; {now}",
    )


def _skipped(*parts: str) -> Finding:
    return Finding("note", "skipped", f"{', '.join(parts)}: they depend on checks that failed above")


async def _service(settings: Settings, connection: Connection, checkup: Diagnostics, say: Say) -> bool:
    """Report whether both indexes answer."""
    from corpus.index.azure.index_checks import at_fault, was_answered

    clock = Clock()
    signed = "the key" if settings.azure_search_api_key else "an Azure identity"
    refused = False
    fine = True
    for index in (checkup.content, checkup.documents):
        try:
            finding = await checkup.answers(index)
        except IbidError as error:
            finding = failed_check(at_fault(error), error)
            if not was_answered(error):  # the check of the other index would fail in the same way
                say(finding)
                return False
        if index == checkup.content:
            say(Finding("ok", "service", f"{connection.host} answers in {clock}"))
            if finding.part == "index":
                say(Finding("ok", "credential", f"{signed} is accepted"))
        if not (refused and finding.part == "credential"):  # report a refused credential only once
            say(finding)
        refused = refused or finding.part == "credential"
        fine = fine and finding.level == "ok"
    return fine


async def _fields(checkup: Diagnostics, say: Say) -> bool:
    """Report whether the credential may read the fields of the content index. Return whether the service answered."""
    for index in (checkup.content, checkup.documents):
        say(await run_check("fields", partial(checkup.fields, index), seconds=CHECK_SECONDS))
    if checkup.content not in checkup.looked_at:
        # The service did not answer. Further checks would blame the credential for that.
        say(_skipped(*AFTER_FIELDS))
        return False
    return True


async def _indexes(
    connection: Connection, checkup: Diagnostics, say: Say, vectors: Callable[[], Awaitable[Finding]]
) -> None:
    from corpus.index.azure.index_checks import documents_of_blocks, without_identity

    say(await run_check("principals", checkup.principals, seconds=CHECK_SECONDS))
    say(await run_check("vectors", vectors, seconds=CHECK_SECONDS))
    say(await run_check("semantic", checkup.semantic, seconds=CHECK_SECONDS))
    for index in (checkup.content, checkup.documents):
        say(await run_check("access", partial(without_identity, connection, index), seconds=CHECK_SECONDS))
    both = partial(documents_of_blocks, connection, checkup.content, checkup.documents)
    say(await run_check("documents", both, seconds=CHECK_SECONDS))
