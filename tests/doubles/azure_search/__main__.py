"""The stand-in as a process: it prints its address as one line of JSON, and ends when its standard input does."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from tests.doubles.azure_search.service import StandIn


async def serve(port: int, tls: bool) -> None:
    async with StandIn(tls=tls, port=port) as service:
        face = ("endpoint", "admin_key", "query_key", "ca_file")
        print(json.dumps({name: getattr(service, name) for name in face}), flush=True)
        await asyncio.to_thread(sys.stdin.buffer.read)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.azure_search", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", action="store_true")
    options = parser.parse_args()
    asyncio.run(serve(options.port, options.tls))


if __name__ == "__main__":
    main()
