"""A server process that receives raw lines, in either protocol generation; Linux reports its costs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

MODERN = "2026-07-28"
ERAS = ("initialize", "server/discover")
OURS = (sys.executable, "-c", "from server.cli import main; main()", "serve")
BARE = (sys.executable, "-m", "bench.bare_server")
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
_OF_PROCESS = 2
"""Part of a Linux clock id that selects the scheduler clock of a process. This clock includes threads that have
ended."""


class Speaking:
    """A server that runs while the context is open. `era` is the name of the first request, and `shows` contains the
    client's capabilities."""

    def __init__(
        self, command: Sequence[str], settings: Mapping[str, str], era: str = ERAS[1],
        shows: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "AZURE_"))}
        self._era, self._id, self._shows = era, 0, dict(shows)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=plain | {"RAG_LOG_LEVEL": "ERROR"} | dict(settings),
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def greet(self) -> None:
        """Send the handshake, and wait for the first answer."""
        if self._era == ERAS[1]:
            self.ask("server/discover")
            return
        about = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities=self._shows, clientInfo=about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        assert not answer["result"].get("isError"), answer
        result: dict[str, Any] = answer["result"]
        return result

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._id += 1
        envelope = _ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": self._shows}
        meta = {"_meta": envelope} if self._era == ERAS[1] else {}
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params | meta})
        assert self._process.stdout
        while line := self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._id:
                return answer
        raise EOFError(method)

    def cpu_ms(self) -> float:
        """Return the CPU time in milliseconds since the server's start."""
        return time.clock_gettime(((~self._process.pid) << 3) | _OF_PROCESS) * 1000

    def memory_mb(self) -> dict[str, float]:
        """Return the memory. `private` is memory that only the server uses; `resident` also counts mapped files, which
        processes share."""
        text = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text(encoding="ascii")
        held = {name: int(kb) / 1000 for name, kb in re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE)}
        return {"private": held["Private_Clean"] + held["Private_Dirty"], "resident": held["Rss"]}

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
