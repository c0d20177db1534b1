"""The background process that keeps the index in sync with RAG_DOCUMENTS. It ends with the server that started it.

It shares nothing with the server: no event loop, no memory, and no standard output, which carries the protocol.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import anyio
import anyio.from_thread
import anyio.lowlevel
import structlog
from filelock import FileLock

from corpus.errors import IbidError, NotConfigured
from corpus.ingestion.pipeline import IngestOptions
from corpus.ingestion.report import Report, Silence, summary
from corpus.ingestion.run_log import KEEPER, RunLogProgress, start_run, stored_speeds
from corpus.ingestion.sync_loop import AFTER_FAILURE_SECONDS, keep_up
from corpus.ingestion.time_left import TimeLeft
from corpus.processes.locks import acquire
from server.bootstrap import workshop
from server.folder_sync.sync import FolderKeeper, known_roots, scope_of
from server.logs import configure_server_logs
from server.settings.model import Settings, load_settings

log = structlog.stdlib.get_logger("ibid")

TAKEN, FAILED = 75, 1
"""Exit codes for when another process is already syncing the index, and for when this process failed."""
GRACE_SECONDS = 2.0
_LOCK_SECONDS = 1.0
"""Seconds to wait for the lock. Processes that only check the lock hold it for less time."""


def main() -> None:
    """Sync until standard input ends, which happens when the server exits or crashes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and then ends this process
    if sys.platform != "win32":
        os.nice(10)
    settings = load_settings()
    configure_server_logs(settings)
    try:
        anyio.run(_until_the_server_ends, settings, _lock(settings))
    except (IbidError, OSError) as problem:
        log.error("background.failed", problem=str(problem))
        sys.exit(FAILED)


def _lock(settings: Settings) -> FileLock:
    """Take the lock, or exit if another process holds it. Raise NotConfigured if the data folder is not writable."""
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = acquire(settings.data_dir / KEEPER, _LOCK_SECONDS)
    except OSError as problem:
        raise NotConfigured(
            f"{settings.data_dir} cannot be written ({problem.strerror}), so RAG_DOCUMENTS is not ingested."
        ) from problem
    if lock is None:
        sys.exit(TAKEN)
    return lock


async def _until_the_server_ends(settings: Settings, lock: FileLock) -> None:
    with anyio.CancelScope() as scope:
        token = anyio.lowlevel.current_token()
        threading.Thread(target=_await_the_end, args=(scope, token), daemon=True).start()
        await _work(settings, lock)


def _await_the_end(scope: anyio.CancelScope, token: anyio.lowlevel.EventLoopToken) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    anyio.from_thread.run_sync(scope.cancel, token=token)
    time.sleep(GRACE_SECONDS)
    os._exit(0)


async def _work(settings: Settings, lock: FileLock) -> None:
    run = start_run(settings.data_dir, settings.documents, lock=lock, watches=True)
    options = IngestOptions(allow_new=settings.documents_allow or None, prune=settings.documents_prune, by_time=True)
    try:
        async with workshop(settings) as place:
            embedder = place.embedder.id if place.embedder else None
            recording = RunLogProgress(
                settings.data_dir, Silence(), run, TimeLeft(embedder, stored_speeds(settings.data_dir))
            )
            roots = await known_roots(place.index, settings.documents)
            keeper = FolderKeeper(
                place,
                roots,
                recording,
                options=options,
                scope=scope_of(settings),
                on_report=_on_report,
                lenient=True,
            )
            while True:
                try:
                    await keep_up(roots, keeper)
                except IbidError as problem:
                    log.warning("background.again_later", problem=str(problem))
                    recording.troubles([str(problem)])
                    await anyio.sleep(AFTER_FAILURE_SECONDS)
    finally:
        if run:
            run.end()


def _on_report(report: Report) -> None:
    if any(outcome.kind != "unchanged" for outcome in report.outcomes):
        log.info("background.taken_in", files=summary(report))
    for link in report.outside:
        log.warning("background.left_alone", path=str(link), reason="a link that leads out of the folder")
