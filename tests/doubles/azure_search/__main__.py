"""Start the emulator as a process: it prints its address and keys, and ends at SIGINT or SIGTERM, or when a pipe at its
standard input is closed.

With `--pictures`, an emulator of Azure Blob Storage starts with it, and both serve https, because picture addresses are
signed for https alone. Both keep everything in memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
import signal
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack

import anyio
import anyio.to_thread

from tests.doubles.azure_search.service import StandIn
from tests.doubles.blob_storage import blob_storage

VARIABLES = {
    "endpoint": "AZURE_SEARCH_ENDPOINT",
    "admin_key": "AZURE_SEARCH_API_KEY",
    "container_url": "AZURE_STORAGE_CONTAINER_URL",
    "account_key": "AZURE_STORAGE_ACCOUNT_KEY",
    "ca_file": "SSL_CERT_FILE",
}


async def serve(options: argparse.Namespace) -> None:
    with ExitStack() as stack:
        pictures = {}
        if options.pictures:
            storage = stack.enter_context(blob_storage(tls=True))
            pictures = {"container_url": storage.url, "account_key": storage.key}
        async with StandIn(tls=options.tls or options.pictures, port=options.port) as service:
            face = {name: getattr(service, name) for name in ("endpoint", "admin_key", "query_key", "ca_file")}
            with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
                print(exports(face | pictures) if options.exports else json.dumps(face | pictures), flush=True)
                await _until_the_end(signals)


async def _until_the_end(signals: AsyncIterator[signal.Signals]) -> None:
    async def read_pipe() -> None:
        await anyio.to_thread.run_sync(sys.stdin.buffer.read, abandon_on_cancel=True)
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        mode = os.fstat(sys.stdin.fileno()).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):  # asyncio connects some child processes by a socket
            tasks.start_soon(read_pipe)
        await anext(signals)
        tasks.cancel_scope.cancel()


def exports(face: dict[str, str | None]) -> str:
    """Return shell lines that set the variables that `ibid` reads."""
    known = [(variable, face.get(name)) for name, variable in VARIABLES.items()]
    return "\n".join(f"export {variable}={shlex.quote(value)}" for variable, value in known if value)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.azure_search", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", action="store_true", help="serve https; ca_file is what a client must trust")
    parser.add_argument("--pictures", action="store_true", help="start Blob Storage, too")
    parser.add_argument("--exports", action="store_true", help="print lines for a shell instead of JSON")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
