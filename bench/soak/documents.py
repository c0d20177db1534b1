"""The documents, and the commands that add, change and remove them, and narrow and widen their access lists."""

from __future__ import annotations

import random
import secrets
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from bench.soak.rights import EVERYBODY, Rights
from tests.doubles.raw_stdio import CHECKOUT

TOPICS = ("pump", "budget", "turbine", "contract", "library")
IBID = (sys.executable, "-X", "utf8", "-c", "from server.cli import main; main()")
STEPS = ("add", "change", "remove", "narrow", "widen")


@dataclass
class Plan:
    path: Path
    readers: frozenset[str]
    word: str = ""

    @property
    def marks(self) -> tuple[str, str]:
        return self.path.stem, self.word


@dataclass
class Documents:
    """The documents. The `fixed` ones never change, so that everybody always finds something; the `moving` ones
    change."""

    folder: Path
    env: Mapping[str, str]
    rights: Rights
    dice: random.Random
    fixed: list[Plan] = field(default_factory=list)
    moving: list[Plan] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)

    async def fill(self) -> None:
        """Add a document for each person, two documents for everybody, and three that will be changed later."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for readers in [*(frozenset({one}) for one in sorted(EVERYBODY)), EVERYBODY, EVERYBODY]:
            self.fixed.append(await self._new(readers))
        for _ in range(3):
            self.moving.append(await self._new(self._some()))

    async def keep_changing(self, every: float) -> None:
        """Repeatedly run a command and then pause for `every` seconds, until cancelled."""
        while True:
            step = self.dice.choice(STEPS)
            await self._step(step)
            self.done[step] += 1
            await anyio.sleep(every)

    async def _step(self, step: str) -> None:
        if step == "add" or len(self.moving) < 2:
            self.moving.append(await self._new(self._some()))
            return
        one = self.dice.choice(self.moving)
        if step == "remove":
            self.moving.remove(one)
            one.path.unlink()
            await self._ibid("ingest", str(self.folder), "--prune")
            for mark in one.marks:
                self.rights.end(mark)
        elif step == "change":
            await self._written(one, one.readers)
        else:
            others = EVERYBODY - one.readers
            changed = one.readers | others if step == "widen" else frozenset({self.dice.choice(sorted(EVERYBODY))})
            await self._allowed(one, changed)

    async def _new(self, readers: frozenset[str]) -> Plan:
        one = Plan(self.folder / f"plan{secrets.token_hex(5)}.md", readers)
        await self._written(one, readers)
        return one

    async def _written(self, one: Plan, readers: frozenset[str]) -> None:
        former, one.word = one.word, f"zq{secrets.token_hex(5)}"
        topics = " and the ".join(self.dice.sample(TOPICS, 3))
        text = f"# Plan of the {topics}\n\nThe {topics} are described here under the word {one.word}.\n"
        one.path.write_text(text * 3, encoding="utf-8")
        await self._allowed(one, readers)
        if former:
            self.rights.end(former)

    async def _allowed(self, one: Plan, readers: frozenset[str]) -> None:
        for mark in one.marks:
            self.rights.begin(mark, readers)
        allow = [word for name in sorted(readers) for word in ("--allow", f"user:{name}")]
        await self._ibid("ingest", str(one.path), *allow)
        one.readers = readers
        for mark in one.marks:
            self.rights.end_former(mark)

    def _some(self) -> frozenset[str]:
        return frozenset(self.dice.sample(sorted(EVERYBODY), self.dice.randint(1, 3)))

    async def _ibid(self, *words: str) -> None:
        done = await run(words, self.env)
        if done[0]:
            self.failed.append(f"{words[0]}: {done[1][-300:]}")


async def run(words: Sequence[str], env: Mapping[str, str]) -> tuple[int, str]:
    """Run an `ibid` command, and return its exit code and output."""
    done = await anyio.run_process([*IBID, *words], cwd=CHECKOUT, env=dict(env), check=False)
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")
