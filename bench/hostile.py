"""Run an HTTP server with concurrent callers and attackers: `python -m bench hostile [--seconds 120] [--callers 50]`.

Callers send a mix of all requests. At the same time, one caller sends texts for which slow patterns would take hours,
and strangers send requests that are refused and occupy every connection they can get. The bench measures how long
another caller waits for a search, how long a probe waits for `/healthz`, and whether the server's memory and
descriptors grow.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.doubles.raw_stdio import CHECKOUT
from tests.http.process import HttpProcess
from tests.http.raw import modern, post, request
from tests.identity.test_api_keys import made

MAX_SEARCH_P95, MAX_HEALTH = 1.0, 0.5
"""Maximum waiting times in seconds."""
PAUSE = 5.0
"""Average seconds between two calls of a caller."""
MAX_DESCRIPTORS = 700
"""Maximum number of open descriptors: connections and index files."""
MAX_GROWTH = 1.25
"""Maximum factor by which resident memory may grow between the first quarter and the end."""
TOPICS = ("pump", "boiler", "lift", "turbine", "crane", "budget")
ATTACKERS = ("slow", "refused", "holding")
HOSTILE = (" ", "a", "1 ", "[", "a-", "(1) ", "<a ", "* ", "\n ", "1,", "*a* ")
STRANGER = "127.0.0.2"


def bearer(key: str) -> dict[str, str]:
    """Return the HTTP header of a caller with that key."""
    return {"Authorization": f"Bearer {key}"}


class Load:
    def __init__(self, server: HttpProcess, keys: list[str], seconds: float) -> None:
        self._address, self._keys = server.address, keys
        self._pid = server.process.pid
        self._until = time.monotonic() + seconds
        self.searches: list[float] = []
        self.health: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.sizes: list[tuple[int, int]] = []

    async def run(self, callers: int, attackers: Sequence[str]) -> None:
        tasks = [self._caller(key) for key in self._keys[2 : 2 + callers]]
        tasks += [self._measure(self._keys[0]), self._probe(), self._sizes()]
        if "slow" in attackers:
            tasks += [self._slow_texts(self._keys[1]) for _ in range(4)]
        if "refused" in attackers:
            tasks += [self._refused(kind) for kind in range(6)]
        if "holding" in attackers:
            tasks += [self._holds() for _ in range(2)]
        await asyncio.gather(*tasks)

    @property
    def _goes_on(self) -> bool:
        return time.monotonic() < self._until

    async def _ask(self, sent: bytes, source: str = "127.0.0.1") -> tuple[int, bytes]:
        reader, writer = await asyncio.open_connection(
            self._address.host, self._address.port, local_addr=(source, 0), limit=1 << 24
        )
        try:
            with suppress(ConnectionError):
                writer.write(sent)
                await writer.drain()
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length")
                ),
                0,
            )
            return int(head.split()[1]), await reader.readexactly(length) if length else await reader.read(1 << 20)
        finally:
            writer.close()

    async def _call(self, key: str, tool: str, arguments: dict[str, object], who: str) -> float:
        began = time.monotonic()
        sent = modern("tools/call", {"name": tool, "arguments": arguments}, bearer(key))
        try:
            status, body = await self._ask(sent)
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            self.statuses[f"{who}: {type(error).__name__}"] += 1
        else:
            failed = b'"isError":true' in body.replace(b" ", b"")
            self.statuses[f"{who}: {status}{' failed' if failed else ''}"] += 1
        return time.monotonic() - began

    async def _caller(self, key: str) -> None:
        dice = random.Random(key)
        while self._goes_on:
            topic = dice.choice(TOPICS)
            tool, arguments = dice.choice(
                [
                    ("rag_semantic_search", {"query": f"how is the {topic} checked"}),
                    ("rag_list_documents", {}),
                    ("rag_get_document", {"name": f"{topic} manual"}),
                    ("rag_synthesize", {"query": f"How often is the {topic} checked?", "mode": "compose"}),
                ]
            )
            await self._call(key, tool, dict(arguments), "callers")
            await asyncio.sleep(dice.random() * 2 * PAUSE)

    async def _measure(self, key: str) -> None:
        while self._goes_on:
            arguments = {"query": f"what is said of the {random.choice(TOPICS)}"}
            self.searches.append(await self._call(key, "rag_semantic_search", dict(arguments), "measured"))
            await asyncio.sleep(0.2)

    async def _probe(self) -> None:
        while self._goes_on:
            began = time.monotonic()
            with suppress(OSError, EOFError):
                status, _ = await self._ask(request("GET", "/healthz", {"Connection": "close"}))
                self.statuses[f"health: {status}"] += 1
            self.health.append(time.monotonic() - began)
            await asyncio.sleep(0.2)

    async def _sizes(self) -> None:
        while self._goes_on:
            await asyncio.sleep(5)
            with suppress(OSError):
                self.sizes.append(_size(self._pid))

    async def _slow_texts(self, key: str) -> None:
        sent = modern("tools/call", {"name": "rag_semantic_search", "arguments": {"query": "pump"}}, bearer(key))
        block_ids: list[str] = []
        while self._goes_on and not block_ids:
            status, body = await self._ask(sent)
            with suppress(ValueError, KeyError):  # a busy server refuses the request, or answers with a stream
                block_ids = [row["block_id"] for row in json.loads(body)["result"]["structuredContent"]["results"]]
            if not block_ids:
                self.statuses[f"slow texts: {status}, no hits yet"] += 1
                await asyncio.sleep(0.2)
        while self._goes_on:
            shape = random.choice(HOSTILE)
            text = (shape * (100_000 // len(shape)))[:99_000]
            calls: list[tuple[str, dict[str, object]]] = [
                ("rag_verify_answer", {"answer": text[:39_000], "block_ids": block_ids}),
                ("rag_semantic_search", {"query": text}),
                ("rag_synthesize", {"query": text[:2000] + "?", "mode": "compose"}),
            ]
            tool, arguments = random.choice(calls)
            await self._call(key, tool, arguments, "slow texts")

    async def _refused(self, kind: int) -> None:
        chunked = {"Content-Length": "", "Transfer-Encoding": "chunked"}
        sent = (
            post(b" " * 3_000_000),
            post(b"", chunked) + b"1\r\na\r\n" * 50_000,
            post(b"{}", {f"X-{n}": "y" * 900 for n in range(30)}),
            post(b"{}", {"Authorization": "Bearer x" * 100}),
            b"\x00" * 100_000,
            post(b" " * 5_000_000, {"Authorization": f"Bearer {self._keys[1]}"}),
        )[kind]  # fmt: skip
        while self._goes_on:
            try:
                status, _ = await self._ask(sent, STRANGER)
                self.statuses[f"refused: {status}"] += 1
            except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
                self.statuses[f"refused: {type(error).__name__}"] += 1
            await asyncio.sleep(0.02)

    async def _holds(self) -> None:
        held: list[asyncio.StreamWriter] = []
        while self._goes_on:
            with suppress(OSError):
                _, writer = await asyncio.open_connection(
                    self._address.host, self._address.port, local_addr=(STRANGER, 0)
                )
                writer.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n")
                held.append(writer)
            if len(held) > 600:
                held.pop(0).close()
            await asyncio.sleep(0.005)
        for writer in held:
            writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench hostile", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--callers", type=int, default=50)
    parser.add_argument("--attackers", nargs="*", default=ATTACKERS, choices=(*ATTACKERS, "none"))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(_measured(Path(folder), asked))


def _measured(folder: Path, asked: argparse.Namespace) -> int:
    keys = _filled(folder, asked.callers + 2)
    env = {
        **os.environ,
        "RAG_DATA_DIR": str(folder / "data"),
        "RAG_API_KEYS": str(folder / "keys.json"),
        "RAG_RATE_LIMIT": "0",
    }
    with HttpProcess(env) as server:
        load = Load(server, keys, asked.seconds)
        asyncio.run(load.run(asked.callers, asked.attackers))
        server.stop()
    p95, health = _share(load.searches, 0.95), max(load.health)
    quarter = load.sizes[: max(1, len(load.sizes) // 4)]
    memory = load.sizes[-1][0] / max(size for size, _ in quarter)
    for name, count in sorted(load.statuses.items()):
        print(f"{name}: {count}")
    print(
        f"a search of another caller: p50 {_share(load.searches, 0.5):.2f} s, p95 {p95:.2f} s of {len(load.searches)}"
    )
    print(f"/healthz: p95 {_share(load.health, 0.95):.2f} s, at most {health:.2f} s of {len(load.health)}")
    print("memory (MB) and descriptors: " + ", ".join(f"{size / 1e6:.0f} {count}" for size, count in load.sizes[::3]))
    descriptors = max(count for _, count in load.sizes[-4:])
    failed = [name for name in load.statuses if name.startswith("measured") and name != "measured: 200"]
    wrong = [f"{load.statuses[name]} {name}" for name in failed]
    wrong += [f"p95 of a search is {p95:.2f} s"] if p95 > MAX_SEARCH_P95 else []
    wrong += [f"/healthz took {health:.2f} s"] if health > MAX_HEALTH else []
    wrong += [f"memory grew by a factor of {memory:.2f}"] if memory > MAX_GROWTH else []
    wrong += [f"{descriptors} descriptors"] if descriptors > MAX_DESCRIPTORS else []
    print("\n".join(f"- {text}" for text in wrong) or "Nothing that should not be.")
    return len(wrong)


def _filled(folder: Path, count: int) -> list[str]:
    """Create an index of documents that all callers can read, and return the keys of `count` callers."""
    notes = folder / "notes"
    notes.mkdir()
    for topic in TOPICS:
        text = "\n\n".join(
            f"The {part} of the {topic} is checked every {n + 2} weeks."
            for n, part in enumerate(("valve", "seal", "frame", "motor") * 10)
        )
        (notes / f"{topic}.md").write_text(f"# {topic} manual\n\n{text}\n", encoding="utf-8")
    env = {**os.environ, "RAG_DATA_DIR": str(folder / "data")}
    command = [sys.executable, "-c", "from server.cli import main; main()", "ingest", str(notes)]
    subprocess.run(command, cwd=CHECKOUT, env=env, check=True, stdout=subprocess.DEVNULL)
    return [made(folder / "keys.json", user=f"caller{number}") for number in range(count)]


def _size(pid: int) -> tuple[int, int]:
    """Return the resident memory in bytes, and the number of open descriptors."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"/proc/{pid}/fd"))


def _share(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


if __name__ == "__main__":
    main()
