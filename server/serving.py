"""The parts that a server needs over any transport: library, models, call log, folder sync, shutdown."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
from anyio.abc import TaskStatus
from mcp.server.context import ServerMiddleware

from corpus.errors import NotConfigured
from server.bootstrap import LazyLibrary, kept_prompts, prompts, text_generator
from server.calls.tool_call import CallLog
from server.folder_sync.start import keep_up_in_background
from server.sdk_gaps.change_notifications import Watch
from server.settings.model import Settings
from server.tracing import traced
from tools.protocol import CallerOf, LibraryOf
from tools.writers import Models

if TYPE_CHECKING:
    from corpus.generation.protocol import Generated, Prompt, TextGenerator


class LazyGenerator:
    """A `TextGenerator` that is created at the first prompt, to keep its imports out of the start."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: TextGenerator | None = None

    @property
    def id(self) -> str:
        """The name of the model."""
        return self._settings.llm_model or ""

    async def generate(self, prompt: Prompt) -> Generated:
        """See `TextGenerator`. Also raises NotConfigured for missing settings."""
        self._made = self._made or text_generator(self._settings)
        if self._made is None:
            raise NotConfigured("RAG_LLM_MODEL is not set.")
        return await self._made.generate(prompt)

    async def aclose(self) -> None:
        """Close the model if it was created."""
        if self._made is not None:
            await self._made.aclose()


class LazyModels:
    """An async context manager that closes connections at the end. `handed` is for the tools."""

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
    """Create the parts for one caller or `of_many`. They open on first use, and close at the end, even when
    cancelled."""
    library = LazyLibrary(settings, of_many=of_many)
    try:
        with traced(settings):
            async with LazyModels(settings) as models:
                yield Parts(library, models)
    finally:
        with anyio.CancelScope(shield=True):
            await library.aclose()


def call_log(settings: Settings, caller_of: CallerOf) -> CallLog:
    """The log of calls, configured by the settings."""
    azure = settings.backend == "azure"
    return CallLog(
        caller_of,
        index_name=settings.azure_search_content_index if azure else settings.backend,
        queries=settings.log_queries,
        azure=azure,
        documents_index=settings.azure_search_documents_index,
    )


def fresh_prompts(settings: Settings) -> Sequence[ServerMiddleware[Any]]:
    """Middleware that refreshes prompts from the registry, if there is one."""
    kept = kept_prompts(settings)
    if kept is None:
        return ()
    from server.registry import FreshPrompts

    return (FreshPrompts(kept),)


def signed_addresses(settings: Settings, library: LibraryOf, caller_of: CallerOf) -> Sequence[ServerMiddleware[Any]]:
    """Middleware that signs URLs of pictures in Azure, if a container is configured."""
    if settings.backend != "azure" or settings.azure_storage_container_url is None:
        return ()
    from server.addresses.signed_urls import SignedAddresses

    return (SignedAddresses(library, caller_of),)


def file_addresses(settings: Settings, library: LibraryOf, caller_of: CallerOf) -> Sequence[ServerMiddleware[Any]]:
    """Middleware for RAG_IMAGE_URLS=file, if set."""
    if settings.image_urls != "file" or settings.backend == "azure":
        return ()
    from server.addresses.file_urls import FileAddresses

    return (FileAddresses(library, caller_of, settings.data_dir / "pictures"),)


def change_watch(settings: Settings, library: LibraryOf) -> Watch | None:
    """The watch for changes of the index, or None if the index does not support it."""
    return None if settings.backend == "azure" else Watch(library)


async def load_once(answered: anyio.Event, library: LazyLibrary) -> None:
    """Load what the first query needs, after the event `answered`."""
    await answered.wait()
    with suppress(Exception):  # a call that needs it meets the same failure and tells it
        await library.warm()


async def keep_up_once(answered: anyio.Event, settings: Settings) -> None:
    """Keep RAG_DOCUMENTS in sync after the event `answered`, until cancelled."""
    await answered.wait()
    await keep_up_in_background(settings)


async def signalled(*, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Wait for a signal to end. Never returns on Windows, where Ctrl-C is a KeyboardInterrupt."""
    if sys.platform == "win32":
        task_status.started()
        await anyio.sleep_forever()
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            return
