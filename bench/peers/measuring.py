"""Measure one server at a time: it reads the documents, is started, and is queried, each within a time limit."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from bench.peers import processes
from bench.peers.promise import Command, Material, Page, Peer

INGESTING, ASKING, CALL, STARTING = 1800, 600, 120, 60
"""Maximum seconds for reading all documents, for asking all questions, for one call, and for one start."""
WARMING, ENOUGH = 5, 30
PROTOCOL = "2025-06-18"
"""Protocol version of every server here; its first message is `initialize`."""


class Failed(Exception):
    """A server could not be measured. The message is the reason shown in the table."""


@dataclass
class Asked:
    """The pages of each answer, the milliseconds of each call, and the memory in use at the end."""

    pages: list[list[Page]] = field(default_factory=list)
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    memory_mb: float = 0.0
    ready_s: float = 0.0
    ready_cpu_s: float = 0.0


def ingested(commands: Sequence[Command], settings: dict[str, str], log: Path) -> tuple[float, float]:
    """Run the commands, and return the seconds of wall time and of CPU time. Raise Failed."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with log.open("ab") as output:
        for command in commands:
            try:
                subprocess.run(command, env=settings, check=True, timeout=INGESTING, stdout=output, stderr=output)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                raise Failed(f"ingestion: {type(error).__name__}, see {os.path.relpath(log)}") from error
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - started, sum(after[:2]) - sum(before[:2])


async def asked(
    peer: Peer,
    server: StdioServerParameters,
    material: Material,
    queries: Sequence[str],
    top_k: int,
    log: Path,
) -> Asked:
    """Return the answers to all queries in one session, or to as many as fit into the time limit. Raise Failed."""
    found, others = Asked(), processes.children()
    failure: Exception | None = None
    with log.open("a", encoding="utf-8") as errors:
        async with Client(stdio_client(server, errors), read_timeout_seconds=ASKING) as client:
            (root,) = processes.children() - others
            try:  # inside the client, because its task groups would wrap the exception
                with anyio.fail_after(ASKING):
                    await _make_ready(peer, client, material, found, root)
                    for query in queries[:WARMING]:
                        await _call(client, peer, query, top_k, material)
                    for query in queries:
                        await _ask(client, peer, query, top_k, material, found, root)
            except TimeoutError as error:
                failure = error if len(found.pages) < ENOUGH else None
            except (Failed, MCPError) as error:
                failure = error
            found.memory_mb = processes.resident_mb(processes.tree(root))
    if failure:
        raise Failed(f"{failure or type(failure).__name__} after {len(found.pages)} of {len(queries)} questions")
    return found


def first_answers(server: StdioServerParameters, call: dict[str, Any] | None) -> tuple[float, float | None]:
    """Return the milliseconds from the start of the process to the answer to `initialize`, and to the answer to the
    first call."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [server.command, *server.args], env=server.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        hello = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        _say(process, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        _hear(process, 1)
        initialized = (time.perf_counter() - started) * 1000
        if call is None:
            return initialized, None
        _say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        _say(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
        _hear(process, 2)
        return initialized, (time.perf_counter() - started) * 1000
    finally:
        process.kill()
        process.communicate(timeout=STARTING)


async def _make_ready(peer: Peer, client: Client, material: Material, found: Asked, root: int) -> None:
    before, started = processes.processor_seconds(processes.tree(root)), time.perf_counter()
    await peer.ready(client, material)
    found.ready_s = time.perf_counter() - started
    found.ready_cpu_s = processes.processor_seconds(processes.tree(root)) - before


async def _ask(client: Client, peer: Peer, query: str, top_k: int, material: Material, found: Asked, root: int) -> None:
    pids = processes.tree(root)
    before, started = processes.processor_seconds(pids), time.perf_counter()
    answer = await _call(client, peer, query, top_k, material)
    found.wall_ms.append((time.perf_counter() - started) * 1000)
    found.cpu_ms.append((processes.processor_seconds(pids) - before) * 1000)
    found.pages.append(peer.pages(answer, material))


async def _call(client: Client, peer: Peer, query: str, top_k: int, material: Material) -> Any:
    arguments = peer.arguments(query, top_k, material)
    result = await client.call_tool(peer.tool, arguments, read_timeout_seconds=CALL)
    if result.is_error:
        raise Failed(f"{peer.tool}: {_text(result)[:200]}")
    return result.structured_content or json.loads(_text(result))


def _text(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def _say(process: subprocess.Popen[str], message: dict[str, Any]) -> None:
    assert process.stdin
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def _hear(process: subprocess.Popen[str], number: int) -> None:
    """Read up to the answer with that number. Raise Failed if the server exits first or returns an error."""
    assert process.stdout
    for line in process.stdout:
        if line.lstrip().startswith("{") and (message := json.loads(line)).get("id") == number:
            if "error" in message:
                raise Failed(f"start: {str(message['error'])[:200]}")
            return
    raise Failed("start: the server ended before it answered")
