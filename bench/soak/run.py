"""One soak: the server as a process, all its clients, and the results."""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass
from pathlib import Path

import anyio

from bench.soak.clients import Crowd, Guest
from bench.soak.documents import Documents
from bench.soak.faults import Faults
from bench.soak.memory import Memory
from bench.soak.people import People
from bench.soak.rights import EVERYBODY, Rights
from bench.soak.tally import Tally
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.doubles.raw_stdio import environment
from tests.http.process import HttpProcess
from tests.server.desk import ERAS


@dataclass(frozen=True)
class Size:
    """The duration of the soak in seconds, the number of concurrent people, and the mean seconds between two requests
    of one person."""

    seconds: float = 600.0
    clients: int = 32
    pause: float = 1.5
    seed: int = 1


@dataclass
class Soaked:
    size: Size
    tally: Tally
    rights: Rights
    documents: Documents
    people: People
    memory: Memory
    exit_code: int | None = None
    secrets_in_log: int = 0
    passages_in_log: int = 0
    tracebacks: int = 0

    @property
    def calls(self) -> int:
        return self.tally.answered.total() + self.tally.proper.total() + self.tally.busy.total()


def soak(folder: Path, size: Size) -> Soaked:
    """Run for `size.seconds`, plus a little time to start and stop."""
    sealing = secrets.token_urlsafe(32)
    with in_thread(Issuer()) as issuer:
        env = environment(
            RAG_DATA_DIR=str(folder / "index"), RAG_EMBEDDER="none", RAG_LOG_FORMAT="json", RAG_LOG_LEVEL="DEBUG",
            RAG_API_KEYS=str(folder / "keys.json"), RAG_HTTP_KEYS=sealing, **issuer.settings,
        )  # fmt: skip
        rights, people = Rights(), People(issuer)
        documents = Documents(folder / "plans", env, rights, random.Random(size.seed))
        people.secrets.add(sealing)
        anyio.run(_prepared, documents, people, env)
        with HttpProcess(env) as server:
            done = Soaked(size, Tally(), rights, documents, people, Memory(server.process.pid))
            anyio.run(_soaked, done, server)
            server.stop()
        done.exit_code = server.code
        done.secrets_in_log = sum(one in server.said for one in people.secrets)
        done.passages_in_log = sum(one in server.said for one in rights.marks if one.startswith("zq"))
        done.tracebacks = server.said.count("Traceback")
    return done


async def _prepared(documents: Documents, people: People, env: dict[str, str]) -> None:
    await people.with_keys(env)
    await documents.fill()


async def _soaked(done: Soaked, server: HttpProcess) -> None:
    size = done.size
    crowd = Crowd(server.address.url, done.people, done.rights, done.tally, size.pause)
    names = sorted(EVERYBODY)
    with anyio.move_on_after(size.seconds):
        async with anyio.create_task_group() as tasks:
            for number in range(size.clients):
                dice = random.Random(size.seed * 1000 + number)
                guest = Guest(crowd, names[number % len(names)], ERAS[number % 2], dice)
                tasks.start_soon(guest.stay)
            faults = Faults(server.address, done.people, done.tally, random.Random(size.seed + 1))
            tasks.start_soon(faults.keep_on, size.pause / 3)
            tasks.start_soon(done.documents.keep_changing, 1.0)
            tasks.start_soon(done.people.trouble, min(45.0, size.seconds / 6))
            tasks.start_soon(done.memory.watch, min(5.0, size.seconds / 30))
    done.memory.sample()
