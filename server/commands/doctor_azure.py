"""Check Azure AI Search with the requests that searches make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from corpus.diagnostics import Finding
from corpus.errors import IbidError
from server.commands import doctor_parts
from server.commands.finding import Clock, Say, failed, tried
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.index.azure.checkup import Checkup
    from corpus.index.azure.connection import Connection

EACH = 10.0
"""Seconds for one check."""
AFTER_FIELDS = ("principals", "vectors", "semantic", "access", "documents")


async def examine(settings: Settings, say: Say) -> None:
    """Raises NotConfigured without an endpoint."""
    from corpus.index.azure import Timing
    from corpus.index.azure.checkup import Checkup
    from corpus.index.azure.connection import Connection
    from server.wiring import azure_service, azure_wishes

    timing = Timing(whole=8.0, connect=4.0, read=6.0, retries=1)
    async with Connection(azure_service(settings), timing) as connection:
        checkup = Checkup(
            connection, settings.azure_search_content_index, settings.azure_search_documents_index,
            azure_wishes(settings), settings.principal_prefixes,
        )  # fmt: skip
        there = await _service(settings, connection, checkup, say)
        doctor_parts.identity(settings, say)
        embedder = await doctor_parts.embedder(settings, say)
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
                say(await tried("knowledge base", check, seconds=EACH))


async def _pictures(settings: Settings, say: Say) -> None:
    """Whether the container of the pictures is private, and can be read and signed for."""
    from corpus.index.azure.pictures import PictureStore
    from server.wiring import picture_container

    container = picture_container(settings)
    if container is None:
        text = (
            "AZURE_STORAGE_CONTAINER_URL is not set; figures have the addresses that the index holds, or none"
        )
        say(Finding("note", "pictures", text))
        return
    async with PictureStore(container) as store:
        for check in (store.private, store.readable, store.signs):
            finding = await tried("pictures", check, seconds=EACH)
            say(finding)
            if finding.level == "failed":
                return


def _embedder_finding(setting: str | None, embedder: str) -> Finding:
    """What RAG_AZURE_EMBEDDER is, and what it would have to be."""
    if setting == embedder:
        return Finding("ok", "embedder", f"RAG_AZURE_EMBEDDER is {embedder}, this embedder")
    now = f"it is {setting}" if setting else "it is not set"
    return Finding(
        "note",
        "embedder",
        f"where an index holds vectors of this embedder and does not say so itself, RAG_AZURE_EMBEDDER={embedder} is "
        f"to be set; {now}",
    )


def _skipped(*parts: str) -> Finding:
    return Finding("note", "skipped", f"{', '.join(parts)}: they need what failed above")


async def _service(settings: Settings, connection: Connection, checkup: Checkup, say: Say) -> bool:
    """Whether both indexes answer."""
    from corpus.index.azure.checkup import at_fault, was_answered

    clock = Clock()
    signed = "the key" if settings.azure_search_api_key else "an Azure identity"
    refused = False
    fine = True
    for index in (checkup.content, checkup.documents):
        try:
            finding = await checkup.answers(index)
        except IbidError as error:
            finding = failed(at_fault(error), error)
            if not was_answered(error):  # the other index fares no better
                say(finding)
                return False
        if index == checkup.content:
            say(Finding("ok", "service", f"{connection.host} answers in {clock}"))
            if finding.part == "index":
                say(Finding("ok", "credential", f"{signed} is accepted"))
        if not (refused and finding.part == "credential"):  # what is told once of both
            say(finding)
        refused = refused or finding.part == "credential"
        fine = fine and finding.level == "ok"
    return fine


async def _fields(checkup: Checkup, say: Say) -> bool:
    """Whether the service said how the content index is made, or that it may not be known."""
    for index in (checkup.content, checkup.documents):
        say(await tried("fields", partial(checkup.fields, index), seconds=EACH))
    if checkup.content not in checkup.looked_at:
        # What follows would blame the credential for a service that did not answer.
        say(_skipped(*AFTER_FIELDS))
        return False
    return True


async def _indexes(
    connection: Connection, checkup: Checkup, say: Say, vectors: Callable[[], Awaitable[Finding]]
) -> None:
    from corpus.index.azure.belonging import documents_of_blocks
    from corpus.index.azure.exposure import without_identity

    say(await tried("principals", checkup.principals, seconds=EACH))
    say(await tried("vectors", vectors, seconds=EACH))
    say(await tried("semantic", checkup.semantic, seconds=EACH))
    for index in (checkup.content, checkup.documents):
        say(await tried("access", partial(without_identity, connection, index), seconds=EACH))
    both = partial(documents_of_blocks, connection, checkup.content, checkup.documents)
    say(await tried("documents", both, seconds=EACH))
