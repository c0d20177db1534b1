"""Traces of a server process over stdio and HTTP, sent to the receiver that OpenTelemetry's variables configure."""

from __future__ import annotations

import base64
import json
import re
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

import anyio
import pytest
from mcp import Client

from tests.doubles.in_thread import in_thread
from tests.doubles.raw_stdio import ENVELOPE, RawServer, environment
from tests.doubles.trace_receiver import TraceReceiver, attributes

QUESTION = {"query": "How does the centrifugal impeller work?"}
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def test_traces_reach_langfuse_like_any_receiver_and_contain_no_text(filled: Path) -> None:
    keys = base64.b64encode(b"pk-lf-1:sk-lf-1").decode()
    with in_thread(TraceReceiver()) as receiver:
        env = environment(
            RAG_DATA_DIR=str(filled), RAG_EMBEDDER="none", RAG_TRACES="otlp",
            OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
            OTEL_EXPORTER_OTLP_HEADERS=f"Authorization=Basic%20{keys}",
            OTEL_SERVICE_NAME="our-documents",
        )  # fmt: skip
        with RawServer(env=env) as server:
            meta = {**ENVELOPE, "traceparent": f"00-{TRACE}-{PARENT}-01", "baggage": "session.id=talk-7"}
            request = server.request("tools/call", {"name": "rag_synthesize", "arguments": QUESTION})
            request["params"]["_meta"] = meta
            answer = server.ask_raw(json.dumps(request).encode(), request["id"])
            assert answer["result"]["structuredContent"]["mode"] == "compose"
            assert server.close() == 0
    assert receiver.services == {"our-documents"}
    assert {one["Authorization"] for one in receiver.headers} == {f"Basic {keys}"}
    spans = {one.name: one for one in receiver.spans if one.trace_id.hex() == TRACE}
    call = spans["tools/call rag_synthesize"]
    assert call.parent_span_id.hex() == PARENT
    assert spans["retrieval local"].parent_span_id == call.span_id
    assert {attributes(one)["session.id"] for one in spans.values()} == {"talk-7"}
    assert b"centrifugal" not in receiver.bodies


async def _asked(url: str) -> None:
    async with Client(url, mode="legacy") as client:
        await client.call_tool("rag_semantic_search", QUESTION)


def test_over_http_the_trace_session_is_that_of_the_transport(filled: Path) -> None:
    with in_thread(TraceReceiver()) as receiver:
        env = environment(
            RAG_DATA_DIR=str(filled), RAG_EMBEDDER="none", RAG_TRACES="otlp",
            OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        )  # fmt: skip
        serve = [str(Path(sys.executable).with_name("ibid")), "serve", "--http", "127.0.0.1:0"]
        with subprocess.Popen(serve, env=env, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr
            said = (re.search(r"Ibid listens at (\S+?)\.?\s", line) for line in server.stderr)
            anyio.run(_asked, next(found[1] for found in said if found))
            server.terminate()
            server.stderr.read()
    assert receiver.services == {"ibid"}
    spans = {one.name: attributes(one) for one in receiver.spans}
    session = spans["tools/call rag_semantic_search"]["mcp.session.id"]
    assert session
    assert spans["retrieval local"]["session.id"] == session


def test_an_unreachable_receiver_affects_no_answer(filled: Path) -> None:
    env = environment(
        RAG_DATA_DIR=str(filled), RAG_EMBEDDER="none", RAG_TRACES="otlp",
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_EXPORTER_OTLP_TIMEOUT="1",
    )  # fmt: skip
    with RawServer(env=env) as server:
        assert server.call("rag_semantic_search", QUESTION)["result"]["structuredContent"]["results"]
        assert server.close() == 0


ENDLESS = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\r\n" + b"x" * 1_000_000
HOSTILE = {
    "hangs": b"",
    "answers without end": ENDLESS,
    "refuses with a text of its own": b"HTTP/1.1 400 Bad\r\nContent-Length: 60\r\n\r\n"
    + b"\x1b]0;x\x07\ntool.call caller=ann" * 2,
    "asks to try again later": b"HTTP/1.1 503 Busy\r\nRetry-After: 100000\r\nContent-Length: 0\r\n\r\n",
    "leads elsewhere": b"HTTP/1.1 307 Over there\r\nLocation: http://127.0.0.1:%d/x\r\nContent-Length: 0\r\n\r\n",
    "is none": b"\x00\xff" * 1000,
}


class HostileReceiver:
    """A context manager that accepts connections and answers each with these bytes, repeatedly if they are endless."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                wire, _ = self._listener.accept()
                threading.Thread(target=self._talk, args=(wire,), daemon=True).start()

    def _talk(self, wire: socket.socket) -> None:
        answer = self._answer % self.port if b"%d" in self._answer else self._answer
        with suppress(OSError), wire:
            wire.recv(65536)
            wire.sendall(answer)
            while self._answer in (b"", ENDLESS):
                if self._answer:
                    wire.sendall(b"x" * 65536)
                else:
                    time.sleep(1)


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_receiver_affects_no_answer_and_no_memory(filled: Path, how: str) -> None:
    with HostileReceiver(HOSTILE[how]) as receiver:
        env = environment(
            RAG_DATA_DIR=str(filled), RAG_EMBEDDER="none", RAG_TRACES="otlp", OTEL_BSP_SCHEDULE_DELAY="50",
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{receiver.port}", OTEL_EXPORTER_OTLP_TIMEOUT="1",
        )  # fmt: skip
        with RawServer(env=env) as server:
            for _ in range(10):
                assert server.call("rag_semantic_search", QUESTION)["result"]["structuredContent"]["results"]
                time.sleep(0.06)  # longer than OTEL_BSP_SCHEDULE_DELAY, so that each call's spans are sent alone
            if sys.platform == "linux":
                status = Path(f"/proc/{server.process.pid}/status").read_text()
                assert int(status.split("VmHWM:")[1].split()[0]) < 700_000
            began = time.monotonic()
            assert server.close() == 0
            assert time.monotonic() - began < 30
    assert b"\x1b" not in server.errors


def test_no_tracing_module_is_imported_if_traces_are_off() -> None:
    code = (
        "import sys, server.stdio; from server.settings.model import load_settings;"
        "from server.tracing import traced_calls;"
        "assert traced_calls(load_settings()) == ();"
        "print([one for one in sys.modules if one.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
