"""Run the server over standard input and output."""

from __future__ import annotations

import sys
from contextlib import suppress

import corpus  # noqa: F401 - before structlog, which only corpus may load

# isort: split

import anyio
import structlog
from mcp.shared.message import SessionMessage

from corpus.errors import NotConfigured
from server.app import build_server, own_version
from server.audit import AuditedCalls, audit
from server.bootstrap import prompts
from server.caller import UNFILTERED, stdio_caller
from server.caller_limits import rate_limit
from server.calls.deadlines import limit_of
from server.commands.terminal import one_line
from server.first_answers.early import EarlyAnswers, own_kept_path
from server.first_answers.making import MAX_SECONDS, Keeper
from server.logs import configure_server_logs
from server.sdk_gaps.stdio_descriptors import take_over
from server.sdk_gaps.stdio_transport import StdioTransport
from server.serving import (
    Parts,
    call_log,
    change_watch,
    file_addresses,
    fresh_prompts,
    keep_up_once,
    load_once,
    parts,
    signalled,
    signed_addresses,
)
from server.settings.model import Settings, load_settings, where
from server.tracing import traced_calls

log = structlog.stdlib.get_logger("ibid")


def main() -> None:
    """Run `ibid serve` without its command line. Exit with code 2 for invalid settings."""
    try:
        settings = load_settings()
    except NotConfigured as error:
        sys.stderr.write(f"Error: {one_line(error)}\n")
        sys.exit(2)
    serve(settings)


def serve(settings: Settings, early: EarlyAnswers | None = None) -> None:
    """Serve until the client closes standard input or a signal arrives. If set, `early` already owns both streams and
    answers requests until the server is ready."""
    if early is None:
        early = EarlyAnswers(*take_over())
        early.start()
    configure_server_logs(settings)
    log.info("server.start", transport="stdio", version=own_version(), index=where(settings))
    if settings.allow_unfiltered:
        # Log this even if the log is limited to errors, so that nobody overlooks it.
        (log.error if settings.log_level == "ERROR" else log.warning)("server.unfiltered", note=UNFILTERED)
    with suppress(KeyboardInterrupt):
        anyio.run(_until_the_end, settings, early)


async def _until_the_end(settings: Settings, early: EarlyAnswers) -> None:
    wire = StdioTransport(early)
    async with parts(settings) as shared, anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, tasks.cancel_scope)
        tasks.start_soon(load_once, wire.answered, shared.library)
        tasks.start_soon(keep_up_once, wire.answered, settings)
        await _serve(settings, early, wire, shared)
        tasks.cancel_scope.cancel()


async def _serve(settings: Settings, early: EarlyAnswers, wire: StdioTransport, shared: Parts) -> None:
    who = stdio_caller(settings)
    outer = [
        *traced_calls(settings, one_client=True), AuditedCalls(audit(settings), lambda: who),
        *rate_limit(settings, lambda: who), *fresh_prompts(settings),
        *file_addresses(settings, shared.library, lambda: who),
        *signed_addresses(settings, shared.library, lambda: who),
    ]  # fmt: skip
    # The SDK offers no public way to run a server over other streams.
    server = build_server(
        shared.library, call_log(settings, lambda: who), models=shared.models.handed,
        texts=prompts(settings), seconds=limit_of(settings), watch=change_watch(settings, shared.library),
        middleware=outer, pages=settings.shows_pages,
    )._lowlevel_server  # fmt: skip
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
    keeper = Keeper(own_kept_path(), early, wire, server, outer)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wire.read, to_server)
        tasks.start_soon(wire.write, from_server)
        tasks.start_soon(keeper.run)
        await server.run(incoming, outgoing, server.create_initialization_options())
        with anyio.move_on_after(MAX_SECONDS):
            await keeper.keep()
        tasks.cancel_scope.cancel()


async def _end_on_signal(scope: anyio.CancelScope) -> None:
    await signalled()
    scope.cancel()
