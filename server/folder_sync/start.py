"""Start the background process that syncs folders. Several servers share one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import anyio.to_thread
import structlog
from anyio.abc import Process

from server.settings.model import Settings

log = structlog.stdlib.get_logger("ibid")

COMMAND = [sys.executable, "-P", "-X", "utf8", "-c", "from server.folder_sync.process import main; main()"]

LOOK_SECONDS = 2.0
"""Seconds until a server takes over from one that ended."""
_MAX_PAUSE = 300.0
_TAKEN = 75
_LEAVE_SECONDS = 4.0


async def keep_up_in_background(settings: Settings) -> None:
    """Keep RAG_DOCUMENTS in sync until cancelled. While another server's process does it, only watch for its end."""
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
    """Run the process and return its exit code. Its log goes to this process's stderr; its stdout is closed."""
    process = await anyio.open_process(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=None)
    log.info("background.start", pid=process.pid)
    try:
        return await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _end(process: Process) -> None:
    """Close the process's standard input, and kill it if it does not end in time."""
    if process.stdin:
        await process.stdin.aclose()
    with anyio.move_on_after(_LEAVE_SECONDS):
        await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()
