"""The packaged embedder in processes of its own: they use what reading and everything else leaves of the processor."""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

import anyio
import structlog
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from corpus.embedding.packaged import PackagedEmbedder
from corpus.embedding.promise import Vectors
from corpus.readers.command import command
from corpus.readers.frames import Frames, GarbledFrame, frame

log = structlog.stdlib.get_logger("ibid")

SHARE = 8
"""Passages that a process is given at a time: a second of work or less, so that all end at about the same time."""
MAX_SECONDS = 300.0
"""For a share. A process that takes longer is stopped or hangs."""

_LOST = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError, GarbledFrame,
         OSError)  # fmt: skip


class EmbeddingProcesses:
    """An `Embedder`, whose vectors are those of the packaged one. Up to `count` processes start with the first passages
    and end with `aclose`. What a process did not answer before it ended is
    embedded by a new one.

    Even a single passage is embedded in a process: the same content always gets the same vectors, to the last bit.
    """

    id = PackagedEmbedder.id
    dimensions = PackagedEmbedder.dimensions

    def __init__(self, count: int) -> None:
        self._count = count
        self._here = PackagedEmbedder()
        self._running: dict[int, _Running] = {}
        self._turn = anyio.Lock()

    async def query(self, text: str) -> Vectors:
        return await self._here.query(text)

    async def passages(self, texts: Sequence[str], listener: Callable[[int], None] | None = None) -> Vectors:
        """Unit vectors, shape (len(texts), 384). The listener hears how many there are whenever there are more."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        longest_first = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        made = 0

        def listen(more: int) -> None:
            nonlocal made
            made += more
            if listener:
                listener(made)

        shares = deque(longest_first[at : at + SHARE] for at in range(0, len(texts), SHARE))
        async with self._turn, anyio.create_task_group() as group:
            for number in range(min(self._count, len(shares))):
                group.start_soon(self._work_off, number, shares, texts, vectors, listen)
        return vectors

    async def aclose(self) -> None:
        while self._running:
            await self._end(next(iter(self._running)))
        await self._here.aclose()

    async def _work_off(
        self,
        number: int,
        shares: deque[list[int]],
        texts: Sequence[str],
        vectors: Vectors,
        listen: Callable[[int], None],
    ) -> None:
        while shares:
            places = shares.popleft()
            vectors[places] = await self._embedded(number, [texts[place] for place in places])
            listen(len(places))

    async def _embedded(self, number: int, texts: list[str]) -> Vectors:
        """By that process, by a new one if it is lost, and here if that is lost too."""
        for _ in range(2):
            try:
                if number not in self._running:
                    self._running[number] = await _Running.start()
                with anyio.fail_after(MAX_SECONDS):
                    return await self._running[number].vectors(texts)
            except _LOST as problem:
                log.warning("embedding.process_lost", problem=type(problem).__name__)
                await self._end(number)
            except BaseException:  # cancelled: its answer would be taken for that to the next share
                await self._end(number)
                raise
        return await self._here.passages(texts)

    async def _end(self, number: int) -> None:
        if running := self._running.pop(number, None):
            await running.end()


class _Running:
    def __init__(self, process: Process) -> None:
        self._process = process
        self._input = cast(ByteSendStream, process.stdin)
        self._output = Frames(cast(ByteReceiveStream, process.stdout))

    @classmethod
    async def start(cls) -> _Running:
        """Raises OSError."""
        return cls(await anyio.open_process(command("corpus.embedding.process"), stderr=subprocess.DEVNULL))

    async def vectors(self, texts: list[str]) -> Vectors:
        import numpy as np

        await self._input.send(frame({"texts": texts}))
        head, data = await self._output.receive()
        if head.get("count") != len(texts) or len(data) != len(texts) * 4 * PackagedEmbedder.dimensions:
            raise GarbledFrame("vectors for other texts")
        rows: Vectors = np.frombuffer(data, dtype="<f4").reshape(len(texts), -1)
        return rows

    async def end(self) -> None:
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None:
                self._process.kill()
            await self._process.aclose()
