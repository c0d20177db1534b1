"""Measure the additional cost of the evidence view for a call: `python -m bench view`.

The bench sends the same calls over stdio to a server without the view, and to the actual server from a client that does
not show views and from one that does. It alternates between them, so that other load on the machine affects all. It
uses the sample documents, and no question is repeated. Bytes are those of the complete result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from bench import record
from bench.measured import WARMING, spread
from bench.record import Row
from bench.speaking import OURS, Speaking
from bench.tables import of_rows

DOCUMENTS = Path(__file__).parents[1] / "examples" / "documents"
INGEST = (*OURS[:-1], "ingest", str(DOCUMENTS))
VIEWLESS = (sys.executable, "-m", "bench.viewless_server")
VIEWS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
CLIENTS = {"without": (VIEWLESS, {}), "not shown": (OURS, {}), "shown": (OURS, VIEWS)}
"""Server command and client capabilities for each way of handling the view."""
ASKED = (
    "How is {} maintained?",
    "What is {} made of?",
    "When is {} checked?",
    "Who repairs {}?",
    "What must {} never do?",
)
OF = ("the pump", "the seal", "the impeller", "the motor", "the valve", "the coupling")
ANSWER = "The pump is started by hand [1]. It is checked each day [2]. The seal leaks at 16 bar [3]."
COLUMNS = ("tool", "view", "cpu_min_ms", "cpu_p50_ms", "cpu_p95_ms", "wall_p50_ms", "wall_p95_ms", "bytes")


def main() -> None:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        settings = {"RAG_DATA_DIR": folder}
        subprocess.run(INGEST, env=os.environ | settings, check=True, stdout=subprocess.DEVNULL)
        rows = compared(settings)
    print(of_rows(rows, COLUMNS))
    record.write("view", "python -m bench view", rows, load=load, packages=("mcp",))


def compared(settings: Mapping[str, str]) -> list[Row]:
    costs: dict[tuple[str, str], list[tuple[float, float, int]]] = {}
    with ExitStack() as running:
        servers = {
            name: running.enter_context(Speaking(command, settings, shows=shows))
            for name, (command, shows) in CLIENTS.items()
        }
        for server in servers.values():
            server.greet()
        for query in (asked.format(what) for what in OF for asked in ASKED):
            for name, server in servers.items():
                for tool, cost in _asked(server, query):
                    costs.setdefault((tool, name), []).append(cost)
    return [_row(tool, name, held[WARMING:]) for (tool, name), held in sorted(costs.items(), key=_order)]


def _asked(server: Speaking, query: str) -> Iterator[tuple[str, tuple[float, float, int]]]:
    """Call each tool once, and yield its name and measurements."""
    found, cost = _timed(server, "rag_semantic_search", query=query)
    yield "search", cost
    yield "synthesize", _timed(server, "rag_synthesize", query=query, mode="compose")[1]
    blocks = [one["block_id"] for one in found["structuredContent"]["results"]]
    yield "verify", _timed(server, "rag_verify_answer", answer=f"{query} {ANSWER}", block_ids=blocks)[1]


def _timed(server: Speaking, tool: str, **arguments: Any) -> tuple[dict[str, Any], tuple[float, float, int]]:
    before, clock = server.cpu_ms(), time.perf_counter()
    result = server.call(tool, **arguments)
    cpu, wall = server.cpu_ms() - before, (time.perf_counter() - clock) * 1000
    return result, (cpu, wall, len(json.dumps(result, separators=(",", ":"), ensure_ascii=False).encode()))


def _row(tool: str, name: str, costs: list[tuple[float, float, int]]) -> Row:
    cpu, wall, size = (list(each) for each in zip(*costs, strict=True))
    return {"tool": tool, "view": name, **spread(cpu, wall).row(), "bytes": round(median(size))}


def _order(held: tuple[tuple[str, str], object]) -> tuple[str, int]:
    (tool, name), _ = held
    return tool, [*CLIENTS].index(name)


if __name__ == "__main__":
    main()
