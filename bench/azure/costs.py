"""What a search costs this process: raw HTTP, the SDK through our connection, and a whole find."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
import numpy as np

from bench.azure.memory import resident
from bench.azure.recording import RawHttp, Recorded, Recording
from bench.azure.service import stand_in
from bench.azure.synthetic import Place, Queries, filled
from bench.tables import table
from corpus.index.azure import AzureIndex, Service
from corpus.index.azure.connection import Connection
from corpus.index.azure.joining import DocumentsOfHits

SEARCHES, AT_ONCE, MANY = 500, 200, 1_000
Work = Callable[[int], Awaitable[object]]


@dataclass(frozen=True)
class Times:
    """Milliseconds of each search."""

    processor: list[float]
    wall: list[float]

    @property
    def mean(self) -> float:
        return float(np.mean(self.processor))


async def measured() -> str:
    with stand_in() as service:
        queries = Queries(SEARCHES)
        places = await filled(service)
        rows = [row for place in places for row in await _levels(service, place, queries)]
        more = await _many(service, places[0], queries)
    head = [
        "index",
        "what",
        "requests",
        "processor ms, mean",
        "p50",
        "p95",
        "beyond HTTP",
        "wall ms, p50",
        "p95",
    ]
    return f"{places[0].told}\n\n{table(head, rows)}\n\n{more}"


async def timed(work: Work, count: int = SEARCHES) -> Times:
    """Once unmeasured, so that everything is loaded and every connection open."""
    processor, wall = [], []
    for n in (0, 1, *range(count)):
        before, began = time.process_time(), time.perf_counter()
        await work(n)
        processor.append((time.process_time() - before) * 1000)
        wall.append((time.perf_counter() - began) * 1000)
    return Times(processor[2:], wall[2:])


async def _levels(service: Service, place: Place, queries: Queries) -> list[list[str]]:
    """The same searches, from the plainest way to the whole; requests are recorded on the first round."""
    recording = Recording(service)
    async with AzureIndex(place.on(service), queries) as index, recording, RawHttp(service) as http:
        find = queries.finding(index)
        index._connection, sdk = recording, index._connection
        each = [await recording.during(find(n)) for n in range(SEARCHES)]
        index._connection = sdk
        blocks = [recorded[:1] for recorded in each]
        raw = await timed(lambda n: http.post(blocks[n]))
        rows = [_row(place.name, "HTTP alone, answer not read as JSON", 1, raw, raw)]
        times = await timed(lambda n: _asked(sdk, blocks[n][0]))
        rows.append(_row(place.name, "SDK through our connection", 1, times, raw))
        rows.append(_row(place.name, "find, documents known", 1, await timed(find), raw))
        if len(each[0]) > 1:
            both = await timed(lambda n: http.post(each[n]))
            rows.append(_row(place.name, "HTTP alone, with the look-up of documents", 2, both, both))

            async def cold(n: int) -> object:
                index._finder._documents = DocumentsOfHits()
                return await find(n)

            rows.append(_row(place.name, "find, documents looked up", 2, await timed(cold), both))
    return rows


async def _asked(connection: Connection, recorded: Recorded) -> object:
    return await connection.search(recorded.index, recorded.text, **recorded.wishes)


def _row(name: str, what: str, requests: int, times: Times, raw: Times) -> list[str]:
    beyond = "" if times is raw else f"{times.mean - raw.mean:.2f}"
    shares = [f"{np.percentile(times.processor, cut):.2f}" for cut in (50, 95)]
    walls = [f"{np.percentile(times.wall, cut):.1f}" for cut in (50, 95)]
    return [name, what, str(requests), f"{times.mean:.2f}", *shares, beyond, *walls]


async def _many(service: Service, place: Place, queries: Queries) -> str:
    """Many at the same time, and what memory a thousand leave behind."""
    async with AzureIndex(place.on(service), queries) as index:
        find = queries.finding(index)
        await timed(find, SEARCHES)
        failures: list[Exception] = []

        async def one(n: int) -> None:
            try:
                await find(n)
            except Exception as error:
                failures.append(error)

        began, before = time.perf_counter(), time.process_time()
        async with anyio.create_task_group() as tasks:
            for n in range(AT_ONCE):
                tasks.start_soon(one, n)
        wall, processor = time.perf_counter() - began, time.process_time() - before
        held = resident()
        for n in range(MANY):
            await find(n % SEARCHES)
        grown = resident() - held
    return (
        f"{AT_ONCE} searches at once: {wall:.2f} s in all, {processor / AT_ONCE * 1000:.2f} ms processor each, "
        f"{len(failures)} errors.\n\nResident memory after {MANY:,} more searches: {grown:+.1f} MB."
    )
