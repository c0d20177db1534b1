"""One reading process as the server sees it: a request goes in, frames come out, and any silence ends it.

The process inherits neither the server's standard output, which is the protocol, nor its standard input.
"""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Mapping
from typing import IO, TypeVar, cast

import anyio
import structlog
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from corpus.errors import InternalError, UnreadableDocument
from corpus.readers.bounds import OUT_OF_MEMORY, resident_bytes
from corpus.readers.command import command
from corpus.readers.formats import PDF
from corpus.readers.frames import Frames, GarbledFrame, Head, frame
from corpus.readers.patience import Patience, work_seconds
from corpus.readers.protocol import Limits

T = TypeVar("T")
Take = Callable[[Head, bytes], T | None]
"""Takes each frame of an answer; what is not None is the end of it."""

log = structlog.stdlib.get_logger()

_GONE = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, OSError)
_STARTING = Limits(silent_seconds=60)
_LOOK_SECONDS = 1.0
_MOST_FILES = 500
"""A new process costs 0.2 s of CPU time, most of it for imports; one that grew large is replaced sooner."""
_LEAVE_SECONDS = 2
_PING_SECONDS = 60
_LOG_BYTES = 4_000


class EndedFromOutside(UnreadableDocument):
    """Somebody ended the reading process, and the file may have no part in it."""


class Worker:
    """Use `start`. `idle` is false while a request runs and for good once one went wrong."""

    def __init__(self, process: Process, limits: Limits, errors: IO[bytes]) -> None:
        self._process = process
        self._input = cast(ByteSendStream, process.stdin)
        self._output = Frames(cast(ByteReceiveStream, process.stdout))
        self._limits = limits
        self._errors = errors
        self.pid = process.pid
        self.idle = False
        self._files = 0

    @classmethod
    async def start(cls, limits: Limits, environment: Mapping[str, str] | None = None) -> Worker:
        """A process that is ready. InternalError, with what it wrote, when it does not get there."""
        process, errors = await _opened(limits, environment)
        worker = cls(process, limits, errors)
        try:
            await worker._next_frame(worker._patience(_STARTING))
        except (GarbledFrame, UnreadableDocument, *_GONE) as error:
            said = worker._last_words()
            await worker.end()
            raise InternalError(
                f"The reading process does not start. It said: {said or 'nothing'}"
            ) from error
        except BaseException:
            await worker.end()
            raise
        worker.idle = True
        return worker

    async def answers(self) -> bool:
        """Whether the process is there, which the system may not have told yet."""
        try:
            with anyio.move_on_after(_PING_SECONDS):
                return await self.ask({"do": "ping"}, lambda head, data: head.get("kind") == "ready" or None)
        except UnreadableDocument:
            return False
        return False

    @property
    def worn(self) -> bool:
        """Whether it has done its part and another one should go on: after many files, or a very large one."""
        large = resident_bytes(self.pid) > self._limits.memory_bytes // 3
        return large or self._files >= _MOST_FILES

    async def ask(self, request: Head, take: Take[T], data: bytes = b"") -> T:
        """What `take` makes of the answer. UnreadableDocument with the reason when there is none."""
        self.idle = False
        self._files += request["do"] != "ping"
        try:
            return await self._answer(request, take, data)
        except GarbledFrame as error:
            raise UnreadableDocument("the reader answered with nonsense and was stopped") from error
        except (*_GONE, anyio.ClosedResourceError) as error:
            raise await self._death() from error

    async def end(self) -> None:
        """Ends the process, at once if it is at work; to call it again does nothing."""
        idle, self.idle = self.idle, False
        with anyio.CancelScope(shield=True):
            await self._input.aclose()
            if idle:
                with anyio.move_on_after(_LEAVE_SECONDS):
                    await self._process.wait()
            if self._process.returncode is None:
                self._kill()
            await self._process.aclose()
            self._errors.close()

    async def _answer(self, request: Head, take: Take[T], data: bytes) -> T:
        page: int | None = None
        has_pages = str(request.get("path")).lower().endswith(tuple(PDF))  # elsewhere the number counts parts
        patience = self._patience(self._limits)
        await self._input.send(frame(request, data))
        while True:
            head, data = await self._next_frame(patience, page)
            patience.heard()
            if head.get("kind") == "failed":
                self.idle = True
                if head.get("crashed"):
                    log.error("reader crashed", said=self._last_words())
                raise UnreadableDocument(str(head.get("reason"))[:1_000])
            if has_pages and head.get("kind") == "page" and isinstance(head.get("number"), int):
                page = head["number"]
            result = take(head, data)
            if result is not None:
                self.idle = True
                return result

    def _patience(self, limits: Limits) -> Patience:
        return Patience(limits, lambda: work_seconds(self.pid))

    async def _next_frame(self, patience: Patience, page: int | None = None) -> tuple[Head, bytes]:
        while True:
            with anyio.move_on_after(min(_LOOK_SECONDS, self._limits.silent_seconds)):
                return await self._output.receive()
            if over := patience.ended():
                where = "" if page is None or over.whole else f" for page {page + 1}"
                raise UnreadableDocument(f"{over.reason}{where}")

    async def _death(self) -> UnreadableDocument:
        """Why the process is gone, for a person; what it wrote goes to the log."""
        with anyio.move_on_after(5) as waiting:
            await self._process.wait()
        if waiting.cancelled_caught:
            return UnreadableDocument("the reader stopped answering")
        code = self._process.returncode or 0
        log.warning("reading process ended", exit_code=code, said=self._last_words())
        if code == OUT_OF_MEMORY:
            return UnreadableDocument(f"needed more than {self._limits.memory_bytes / 1e9:g} GB of memory")
        if code in (-signal.SIGTERM, -9):  # there is no SIGKILL on Windows
            return EndedFromOutside(
                f"the reader was ended from outside (signal {-code}), maybe for want of memory"
            )
        return UnreadableDocument(
            f"the reader crashed on it (signal {-code})" if code < 0 else f"the reader ended with code {code}"
        )

    def _kill(self) -> None:
        try:
            self._process.kill()
        except ProcessLookupError:
            return  # it was faster

    def _last_words(self) -> str:
        if self._errors.closed:
            return ""
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - _LOG_BYTES))
        return self._errors.read().decode("utf-8", "replace").strip()


async def _opened(limits: Limits, environment: Mapping[str, str] | None) -> tuple[Process, IO[bytes]]:
    """The process and the file that takes what it writes to standard error."""
    words = command("corpus.readers.process", str(limits.memory_bytes))
    try:
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    except OSError as error:
        raise InternalError(
            f"No temporary file can be made for a reading process: {error.strerror}"
        ) from error
    try:
        return await anyio.open_process(words, stderr=errors, env=environment), errors
    except OSError as error:
        errors.close()
        raise InternalError(f"The reading process does not start: {error.strerror}") from error
    except BaseException:
        errors.close()
        raise
