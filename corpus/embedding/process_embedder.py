"""Run the packaged embedder in a separate process, at low priority."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from typing import cast

import anyio
import anyio.to_thread
import structlog
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from corpus.embedding.e5_weights import checked_weights
from corpus.embedding.packaged import PackagedEmbedder
from corpus.embedding.protocol import Vectors
from corpus.processes.child import Frames, GarbledFrame, command, frame

log = structlog.stdlib.get_logger("ibid")

MAX_SECONDS = 300.0
"""Maximum seconds for one passage. A passage usually takes a tenth of a second, so a process that exceeds the limit is
suspended or hangs."""
STARTS = 2
"""Maximum number of times that a process is started for the same passages. After that, the main process embeds them."""

_LOST = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError, GarbledFrame,
         OSError)  # fmt: skip


class EmbeddingProcess:
    """An `Embedder` that runs the packaged embedder in a separate process, from the first passages until `aclose`. The
    process's threads share the weights, which account for most of its 330 MB.

    Even a single passage is embedded in that process, so that equal content gets bit-identical vectors.
    """

    id = PackagedEmbedder.id
    dimensions = PackagedEmbedder.dimensions

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._here = PackagedEmbedder()
        self._running: _Running | None = None
        self._turn = anyio.Lock()

    async def query(self, text: str) -> Vectors:
        """Embed a query in the main process: a unit vector, shape (384,)."""
        return await self._here.query(text)

    async def passages(self, texts: Sequence[str], listener: Callable[[int], None] | None = None) -> Vectors:
        """Embed passages: unit vectors, shape (len(texts), 384). The listener receives the number of finished
        passages."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        # The longest texts go first, so that all threads finish at about the same time.
        left = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        async with self._turn:
            for _ in range(STARTS):
                left = await self._embed(left, texts, vectors, listener)
            if left:
                vectors[left] = await self._here.passages([texts[place] for place in left])
        return vectors

    async def aclose(self) -> None:
        """End the process and drop the models."""
        await self._end()
        await self._here.aclose()

    async def _embed(
        self,
        places: list[int],
        texts: Sequence[str],
        vectors: Vectors,
        listener: Callable[[int], None] | None,
    ) -> list[int]:
        """Fill in the vectors of the texts at these positions. If the process dies, return the positions that are
        left."""
        if not places:
            return []
        done = 0
        try:
            self._running = self._running or await _Running.start(self._threads)
            await self._running.send([texts[place] for place in places])
            for place in places:
                with anyio.fail_after(MAX_SECONDS):
                    vectors[place] = await self._running.vector()
                done += 1
                if listener:
                    listener(len(texts) - len(places) + done)
        except _LOST as problem:
            log.warning("embedding.process_lost", problem=type(problem).__name__)
            await self._end()
        except BaseException:  # if cancelled, late responses would be assigned to the next texts
            await self._end()
            raise
        return places[done:]

    async def _end(self) -> None:
        running, self._running = self._running, None
        if running:
            await running.end()


class _Running:
    """A running process and its pipes."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._input = cast(ByteSendStream, process.stdin)
        self._output = Frames(cast(ByteReceiveStream, process.stdout))

    @classmethod
    async def start(cls, threads: int) -> _Running:
        """Start a process. Raises OSError, or NotConfigured if the weights are missing or damaged."""
        await anyio.to_thread.run_sync(checked_weights)
        words = command("corpus.embedding.process_main", str(threads))
        return cls(await anyio.open_process(words, stderr=subprocess.DEVNULL))

    async def send(self, texts: list[str]) -> None:
        await self._input.send(frame({"texts": texts}))

    async def vector(self) -> Vectors:
        """Return the vector of the next text."""
        import numpy as np

        _, data = await self._output.receive()
        if len(data) != 4 * PackagedEmbedder.dimensions:
            raise GarbledFrame("not a vector")
        row: Vectors = np.frombuffer(data, dtype="<f4")
        return row

    async def end(self) -> None:
        with anyio.CancelScope(shield=True):
            if self.process.returncode is None:
                self.process.kill()
            await self.process.aclose()
