"""The parts that a server needs, regardless of the transport: library, models, call log, folder sync, shutdown.

A background process syncs folders. Several servers share one such process.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
import anyio.to_thread
import structlog
from anyio.abc import Process, TaskStatus
from mcp.server.context import ServerMiddleware

from corpus.errors import NotConfigured
from server.bootstrap import LazyLibrary, kept_prompts, prompts, text_generator
from server.calls.tool_call import CallLog
from server.sdk_gaps.subscriptions import Watch
from server.settings.model import Settings
from server.tracing import traced
from tools.protocol import CallerOf, LibraryOf, Models

if TYPE_CHECKING:
    from corpus.generation.protocol import Generated, Prompt, TextGenerator

log = structlog.stdlib.get_logger("ibid")

COMMAND = [sys.executable, "-P", "-X", "utf8", "-c", "from server.folder_sync.process import main; main()"]

LOOK_SECONDS = 2.0
"""Seconds between checks whether another server's process still syncs the folders, and minimum pause before this server
starts its process again."""
_MAX_PAUSE = 300.0
_TAKEN = 75
_LEAVE_SECONDS = 4.0


async def keep_up_in_background(settings: Settings) -> None:
    """Keep RAG_DOCUMENTS in sync until cancelled. While another server's process syncs them, only wait for that process
    to end."""
    if not settings.documents:
        return
    if settings.backend != "local":
        log.warning("background.off", reason="RAG_DOCUMENTS is read into the local index, and RAG_BACKEND is azure")
        return
    for folder in settings.documents:
        if not await anyio.to_thread.run_sync(folder.is_dir):
            log.warning("background.no_folder", folder=str(folder))
    pause = LOOK_SECONDS
    while True:
        if await anyio.to_thread.run_sync(_is_kept, settings.data_dir):
            await anyio.sleep(LOOK_SECONDS)
            continue
        code = await _until_it_ends()
        if code != _TAKEN:
            log.warning("background.ended", code=code, seconds_to_next=pause)
            pause = min(pause * 2, _MAX_PAUSE)
        await anyio.sleep(pause)


def _is_kept(folder: Path) -> bool:
    from corpus.ingestion.run_log import KEEPER
    from corpus.processes.locks import is_locked

    return is_locked(folder / KEEPER)


async def _until_it_ends() -> int:
    """Run the process and return its exit code. Its log goes to this process's stderr; its stdout is discarded."""
    process = await anyio.open_process(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=None)
    log.info("background.start", pid=process.pid)
    try:
        return await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _end(process: Process) -> None:
    """Close the process's standard input, which ends the process. Kill it if it does not end in time."""
    if process.stdin:
        await process.stdin.aclose()
    with anyio.move_on_after(_LEAVE_SECONDS):
        await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()


class LazyGenerator:
    """A `TextGenerator` that is created at the first prompt, so that its imports do not delay start-up."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: TextGenerator | None = None

    @property
    def id(self) -> str:
        """Return the name of the model."""
        return self._settings.llm_model or ""

    async def generate(self, prompt: Prompt) -> Generated:
        """Generate as `TextGenerator` does. Also raise NotConfigured for missing settings."""
        self._made = self._made or text_generator(self._settings)
        if self._made is None:
            raise NotConfigured("RAG_LLM_MODEL is not set.")
        return await self._made.generate(prompt)

    async def aclose(self) -> None:
        """Close the model if it was created."""
        if self._made is not None:
            await self._made.aclose()


class LazyModels:
    """An async context manager around the models, which closes their connections at the end. `handed` is the object
    that tools receive."""

    def __init__(self, settings: Settings) -> None:
        self._endpoint = LazyGenerator(settings) if settings.llm_model else None
        listed = settings.llm_generate
        if listed is None:
            listed = self._endpoint is not None
        system = prompts(settings)["llm_generate"].text if listed else None
        self.handed = Models(self._endpoint, settings.sampling == "auto", system, settings.sampling_seconds)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._endpoint is not None:
            with anyio.CancelScope(shield=True):
                await self._endpoint.aclose()


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that all callers share for the life of the process."""

    library: LazyLibrary
    models: LazyModels


@asynccontextmanager
async def parts(settings: Settings, *, of_many: bool = False) -> AsyncIterator[Parts]:
    """Create the parts, for one caller or, with `of_many`, for several. The parts open on first use, and close at the
    end, even when cancelled."""
    library = LazyLibrary(settings, of_many=of_many)
    try:
        with traced(settings):
            async with LazyModels(settings) as models:
                yield Parts(library, models)
    finally:
        with anyio.CancelScope(shield=True):
            await library.aclose()


def call_log(settings: Settings, caller_of: CallerOf) -> CallLog:
    """Return the log of calls, configured by the settings."""
    azure = settings.backend == "azure"
    return CallLog(
        caller_of,
        index_name=settings.azure_search_content_index if azure else settings.backend,
        queries=settings.log_queries,
        azure=azure,
        documents_index=settings.azure_search_documents_index,
    )


def fresh_prompts(settings: Settings) -> Sequence[ServerMiddleware[Any]]:
    """Return the middleware that refreshes prompts from the registry, if there is a registry."""
    kept = kept_prompts(settings)
    if kept is None:
        return ()
    from server.prompt_registry import FreshPrompts

    return (FreshPrompts(kept),)


def signed_addresses(settings: Settings, library: LibraryOf, caller_of: CallerOf) -> Sequence[ServerMiddleware[Any]]:
    """Return the middleware that signs URLs of pictures in Azure, if a container is configured."""
    if settings.backend != "azure" or settings.azure_storage_container_url is None:
        return ()
    from server.answer_urls import SignedAddresses

    return (SignedAddresses(library, caller_of),)


def file_addresses(settings: Settings, library: LibraryOf, caller_of: CallerOf) -> Sequence[ServerMiddleware[Any]]:
    """Return the middleware for RAG_IMAGE_URLS=file, if set."""
    if settings.image_urls != "file" or settings.backend == "azure":
        return ()
    from server.answer_urls import FileAddresses

    return (FileAddresses(library, caller_of, settings.data_dir / "pictures"),)


def change_watch(settings: Settings, library: LibraryOf) -> Watch | None:
    """Return a watch for index changes, or None if the index does not support it."""
    return None if settings.backend == "azure" else Watch(library)


async def load_once(answered: anyio.Event, library: LazyLibrary) -> None:
    """Wait for the event `answered`, then load the parts that the first query needs."""
    await answered.wait()
    with suppress(Exception):  # a call that needs these parts will fail in the same way and report it
        await library.warm()


async def keep_up_once(answered: anyio.Event, settings: Settings) -> None:
    """Wait for the event `answered`, then keep RAG_DOCUMENTS in sync until cancelled."""
    await answered.wait()
    await keep_up_in_background(settings)


async def signalled(*, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Wait for SIGTERM or SIGINT. Never return on Windows, where Ctrl-C is a KeyboardInterrupt."""
    if sys.platform == "win32":
        task_status.started()
        await anyio.sleep_forever()
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            return
