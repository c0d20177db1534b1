"""Measure the cost of a search in this process: plain HTTP, the SDK with our connection, and a complete `find`."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import anyio
import numpy as np

from bench.azure.memory import resident
from bench.azure.recording import RawHttp, Recorded, Recording
from bench.azure.service import stand_in
from bench.azure.synthetic import Place, Queries, filled
from bench.tables import table
from corpus.index.azure import AzureIndex, Service
from corpus.index.azure.service.connection import Connection

SEARCHES, AT_ONCE, MANY = 500, 200, 1_000
HTTP, BOTH = "HTTP alone, the answer not parsed", "HTTP alone, both requests"
SDK = "SDK, through our connection"
JOINED, FIND = "find, and look the documents up: two requests", "find"
Work = Callable[[int], Awaitable[object]]


@dataclass(frozen=True)
class Times:
    """The milliseconds that each search took."""

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
    head = ["index", "what", "processor ms, mean", "p50", "p95", "beyond HTTP", "wall ms, p50", "p95"]
    return f"{places[0].told}\n\n{table(head, rows)}\n\n{more}"


async def timed(works: Mapping[str, Work]) -> dict[str, Times]:
    """Run each search on every level before the next search, so that other load on the machine slows all levels
    equally. The first searches do not count, because they load and open everything."""
    taken: dict[str, list[tuple[float, float]]] = {what: [] for what in works}
    for n in (0, 1, *range(SEARCHES)):
        for what, work in works.items():
            before, began = time.process_time(), time.perf_counter()
            await work(n)
            taken[what].append((time.process_time() - before, time.perf_counter() - began))
    return {
        what: Times(*([1000 * one for one in many] for many in zip(*taken[what][2:], strict=True))) for what in works
    }


async def _levels(service: Service, place: Place, queries: Queries) -> list[list[str]]:
    """Return the costs on each level, from plain HTTP to the complete `find`. All levels use the same requests, which
    are recorded first."""
    recording = Recording(service)
    async with AzureIndex(place.on(service), queries) as index, recording, RawHttp(service) as http:
        find = queries.finding(index)

        index._connection, sdk = recording, index._connection
        each = [await recording.during(find(n)) for n in range(SEARCHES)]
        index._connection = sdk
        two = len(each[0]) > 1
        works: dict[str, Work] = {
            HTTP: lambda n: http.post(each[n][:1]),
            SDK: lambda n: _asked(sdk, each[n][0]),
        }
        works |= {BOTH: lambda n: http.post(each[n]), JOINED: find} if two else {FIND: find}
        times = await timed(works)
    return [_row(place.name, what, times[what], times[BOTH if what == JOINED else HTTP]) for what in times]


async def _asked(connection: Connection, recorded: Recorded) -> object:
    return await connection.search(recorded.index, recorded.text, **recorded.wishes)


def _row(name: str, what: str, times: Times, raw: Times) -> list[str]:
    beyond = "" if what in (HTTP, BOTH) else f"{times.mean - raw.mean:.2f}"
    shares = [f"{np.percentile(times.processor, cut):.2f}" for cut in (50, 95)]
    walls = [f"{np.percentile(times.wall, cut):.1f}" for cut in (50, 95)]
    return [name, what, f"{times.mean:.2f}", *shares, beyond, *walls]


async def _many(service: Service, place: Place, queries: Queries) -> str:
    """Run many searches concurrently, and measure how much memory a thousand more searches add."""
    async with AzureIndex(place.on(service), queries) as index:
        find = queries.finding(index)
        await timed({FIND: find})
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
