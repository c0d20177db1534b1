"""The server over standard input and output, for a client that starts this process itself."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

import anyio
import structlog
from mcp.shared.message import SessionMessage

from corpus.errors import NotConfigured
from server.app import build_server, own_version
from server.background import keep_up_in_background
from server.caller import UNFILTERED, stdio_caller
from server.calls import CallLog
from server.commands.shown import line
from server.deadlines import limit_of
from server.logs import configure_logs
from server.models import LazyModels
from server.settings import Settings, load_settings, where
from server.wire import Wire, take_over
from server.wiring import LazyLibrary, prompts

log = structlog.stdlib.get_logger("ibid")


def main() -> None:
    """`ibid serve` without its command line. Exit code 2 for settings that are not sound."""
    try:
        settings = load_settings()
    except NotConfigured as error:
        sys.stderr.write(f"Error: {line(error)}\n")
        sys.exit(2)
    serve(settings)


def serve(settings: Settings) -> None:
    """Serve until the client closes standard input, or a signal asks to end."""
    wire_in, wire_out = take_over()
    configure_logs(settings)
    log.info("server.start", transport="stdio", version=own_version(), index=where(settings))
    if settings.allow_unfiltered:
        # Also where the log is kept to errors: nobody may overlook it.
        (log.error if settings.log_level == "ERROR" else log.warning)("server.unfiltered", note=UNFILTERED)
    with suppress(KeyboardInterrupt):
        anyio.run(_until_the_end, settings, Wire(wire_in, wire_out))


async def _until_the_end(settings: Settings, wire: Wire) -> None:
    library = LazyLibrary(settings)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_on_signal, tasks.cancel_scope)
            tasks.start_soon(_load_once_answered, wire, library)
            tasks.start_soon(_read_folders_once_answered, wire, settings)
            await _serve(settings, wire, library)
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await library.aclose()


async def _serve(settings: Settings, wire: Wire, library: LazyLibrary) -> None:
    who = stdio_caller(settings)
    azure = settings.backend == "azure"
    name = settings.azure_search_content_index if azure else settings.backend
    call_log = CallLog(
        lambda: who, index_name=name, queries=settings.log_queries, azure=azure,
        documents_index=settings.azure_search_documents_index,
    )  # fmt: skip
    models = LazyModels(settings)
    # The SDK offers no public way to run a server over streams of one's own.
    server = build_server(
        library, call_log, models=models.handed, texts=prompts(settings), seconds=limit_of(settings)
    )._lowlevel_server
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
    async with models, anyio.create_task_group() as tasks:
        tasks.start_soon(wire.read, to_server)
        tasks.start_soon(wire.write, from_server)
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _end_on_signal(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":  # no signal receiver there; Ctrl-C arrives as KeyboardInterrupt
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


async def _load_once_answered(wire: Wire, library: LazyLibrary) -> None:
    """Load what a first question needs while the client is still reading what there is."""
    await wire.answered.wait()
    with suppress(Exception):  # a call that needs it meets the same failure and tells it
        await library.warm()


async def _read_folders_once_answered(wire: Wire, settings: Settings) -> None:
    await wire.answered.wait()
    await keep_up_in_background(settings)
