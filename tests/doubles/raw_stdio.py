"""A client that exchanges raw lines with a server process, and can send what no valid client would."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE

CHECKOUT = Path(__file__).parents[2]
MAIN = "from server.stdio import main; main()"
"""Maximum seconds to wait for one answer: far beyond any real time, so that a hang fails and a busy machine does
not."""

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of this process with only these settings of Ibid, and with a log format that tests can
    read."""
    # Unbuffered, because a buffer would hide the output of a server that ends.
    left_out = ("RAG_", "AZURE_", "PYTHONUNBUFFERED")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    return kept | {"PYTHONPATH": str(CHECKOUT), "RAG_LOG_LEVEL": "INFO"} | extra


class RawServer:
    """A running server. `lines` contains all of its standard output, `errors` all of its standard error."""

    def __init__(
        self, code: str = MAIN, *, env: dict[str, str], cwd: Path | None = None, era: str = "modern",
        command: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.process = subprocess.Popen(
            command or [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd,
        )  # fmt: skip
        self.era = era
        self.lines: list[bytes] = []
        self.errors = b""
        self._rest = b""
        self._id = 0
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def __enter__(self) -> RawServer:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)  # A child process of the server may write a little longer.
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()

    def shake_hands(self) -> dict[str, Any]:
        """Return the server's introduction, in this client's protocol era."""
        if self.era == "modern":
            return self.ask("server/discover")
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        answer = self.ask("initialize", hello)
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())
        return answer

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the complete JSON-RPC answer."""
        return self.ask_raw(json.dumps(self.request(method, params or {})).encode(), self._id)

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._id += 1
        meta = {"_meta": ENVELOPE} if self.era == "modern" else {}
        return {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params | meta}

    def ask_raw(self, line: bytes, request_id: object) -> dict[str, Any]:
        """Send a line and return the answer with that id. Other messages are skipped."""
        self.send(line)
        return self.answer_to(request_id)

    def answer_to(self, request_id: object) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(self._line())
            if "method" not in message and message.get("id") == request_id:
                return message

    def send(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def close(self) -> int:
        """Close standard input, read the remaining output, and return the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self._ended()

    def signal(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self._ended()

    def _ended(self) -> int:
        assert self.process.stdout
        code = self.process.wait(PATIENCE)
        self.lines += [line for line in (self._rest + self.process.stdout.read()).split(b"\n") if line]
        self._reader.join(PATIENCE)
        return code

    def _line(self) -> bytes:
        assert self.process.stdout
        end = time.monotonic() + PATIENCE
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))
            if not ready:
                raise TimeoutError(f"no answer within {PATIENCE} s; stderr: {self.errors[-2000:]!r}")
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                raise EOFError(f"the server ended; stderr: {self.errors[-2000:]!r}")
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        self.lines.append(line)
        return line

    def _read_errors(self) -> None:
        assert self.process.stderr
        while data := os.read(self.process.stderr.fileno(), 65536):
            self.errors += data
