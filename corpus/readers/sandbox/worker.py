"""A reading process as the server sees it: it receives requests, returns frames, and is ended at time limits.

The process inherits neither the server's standard input nor its standard output, which is used for the protocol.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TypeVar, cast

import anyio
import structlog
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from corpus.errors import InternalError, UnreadableDocument
from corpus.processes.child import OUT_OF_MEMORY, Frames, GarbledFrame, Head, command, frame, resident_bytes
from corpus.readers.formats import PDF
from corpus.readers.protocol import Limits

_STARVED = 10
"""Ratio of the wall time limit to the CPU time limit of a file."""


def work_seconds(pid: int) -> float | None:
    """Return the CPU seconds of a process's main thread, or None if the system does not report them.

    The other threads are not counted: those that watch memory and input would hide a hang, and OCR threads would count
    each second several times.
    """
    try:
        fields = Path(f"/proc/{pid}/task/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class LimitExceeded:
    """The limit that was exceeded, as text for the user. `whole` is true if the file as a whole exceeded it, rather
    than its next page."""

    reason: str
    whole: bool = False


@dataclass(slots=True)
class Watchdog:
    """The time limits of one request. `work` returns the CPU seconds that the process has used, or None if unknown."""

    limits: Limits
    work: Callable[[], float | None]
    clock: Callable[[], float] = time.monotonic
    _begun: tuple[float, float] = field(init=False)
    _heard: float = field(init=False)
    _moved: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        self._begun = self._moved = (self.clock(), self.work() or 0.0)
        self._heard = self._begun[1]

    def heard(self) -> None:
        """Record that the process has made progress."""
        self._heard = self.work() or self._heard
        self._moved = (self.clock(), self._heard)

    def exceeded(self) -> LimitExceeded | None:
        """Return the limit that was exceeded, or None."""
        now, work = self.clock(), self.work()
        if work is not None:
            if work > self._moved[1]:
                self._moved = (now, work)
            if work - self._begun[1] > self.limits.total_seconds:
                return LimitExceeded(f"took more than {self.limits.total_seconds:g} s", whole=True)
            if work - self._heard > self.limits.silent_seconds:
                return LimitExceeded(f"took more than {self.limits.silent_seconds:g} s")
        if now - self._moved[0] > self.limits.still_seconds:
            return LimitExceeded(f"made no progress for more than {self.limits.still_seconds:g} s")
        longest = _STARVED * self.limits.total_seconds
        late = now - self._begun[0] > longest
        return LimitExceeded(f"took more than {longest:g} s", whole=True) if late else None


T = TypeVar("T")
Take = Callable[[Head, bytes], T | None]
"""Function that receives each frame of an answer. A result other than None ends the answer."""

log = structlog.stdlib.get_logger()

_GONE = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, OSError)
_STARTING = Limits(silent_seconds=60)
"""Limits for starting a process, which takes 0.2 to 0.5 s of CPU time on an idle machine."""
_LOOK_SECONDS = 1.0
"""Seconds between two checks of the limits."""
_MAX_FILES = 500
"""Maximum number of files per process. Starting a process takes 0.2 to 0.5 s of CPU time, mostly for imports. A process
that uses much memory is replaced earlier."""
_LEAVE_SECONDS = 2
"""Seconds to wait for an idle process to end by itself before it is killed."""
_PING_SECONDS = 60
"""Seconds to wait for an idle process to answer, on a busy machine."""
_LOG_BYTES = 4_000
"""Number of bytes logged from the end of the standard error output."""


class EndedFromOutside(UnreadableDocument):
    """Error for a process that was killed from outside; the file may not be the cause."""


class Worker:
    """A reading process. Create it with `start`. `idle` is False while a request runs, and stays False after a
    failure."""

    def __init__(self, process: Process, limits: Limits, errors: IO[bytes], folder: TemporaryDirectory[str]) -> None:
        self._process = process
        self._input = cast(ByteSendStream, process.stdin)
        self._output = Frames(cast(ByteReceiveStream, process.stdout))
        self._limits = limits
        self._errors = errors
        self._folder = folder
        self.pid = process.pid
        self.idle = False
        self._files = 0

    @classmethod
    async def start(cls, limits: Limits, environment: Mapping[str, str] | None = None) -> Worker:
        """Start a process and wait until it is ready. Raises InternalError with the error output of the process."""
        worker = cls(*await _start_process(limits, environment))
        try:
            await worker._next_frame(worker._patience(_STARTING))
        except (GarbledFrame, UnreadableDocument, *_GONE) as error:
            output = worker._last_words()
            await worker.end()
            raise InternalError(f"The reading process does not start. Its output: {output or 'none'}") from error
        except BaseException:
            await worker.end()
            raise
        worker.idle = True
        return worker

    async def answers(self) -> bool:
        """Return whether the process still answers."""
        try:
            with anyio.move_on_after(_PING_SECONDS):
                return await self.ask({"do": "ping"}, lambda head, data: head.get("kind") == "ready" or None)
        except UnreadableDocument:
            return False
        return False

    @property
    def worn(self) -> bool:
        """Whether the process should be replaced, because it has read many files or uses much memory."""
        large = resident_bytes(self.pid) > self._limits.memory_bytes // 3
        return large or self._files >= _MAX_FILES

    async def ask(self, request: Head, take: Take[T], data: bytes = b"") -> T:
        """Send a request and return the result of `take` for the answer. Raises UnreadableDocument with the reason if
        there is none."""
        self.idle = False
        self._files += request["do"] != "ping"
        try:
            return await self._answer(request, take, data)
        except GarbledFrame as error:
            raise UnreadableDocument("the reader sent an invalid answer and was stopped") from error
        except (*_GONE, anyio.ClosedResourceError) as error:
            raise await self._death() from error

    async def end(self) -> None:
        """End the process, immediately if it is working. May be called several times."""
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
            self._folder.cleanup()

    async def _answer(self, request: Head, take: Take[T], data: bytes) -> T:
        page: int | None = None
        has_pages = str(request.get("path")).lower().endswith(tuple(PDF))  # for other formats, the number counts parts
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

    def _patience(self, limits: Limits) -> Watchdog:
        return Watchdog(limits, lambda: work_seconds(self.pid))

    async def _next_frame(self, patience: Watchdog, page: int | None = None) -> tuple[Head, bytes]:
        while True:
            with anyio.move_on_after(min(_LOOK_SECONDS, self._limits.silent_seconds)):
                return await self._output.receive()
            if over := patience.exceeded():
                where = "" if page is None or over.whole else f" for page {page + 1}"
                raise UnreadableDocument(f"{over.reason}{where}")

    async def _death(self) -> UnreadableDocument:
        """Return the error for the user about a dead process. The error output of the process goes to the log."""
        with anyio.move_on_after(5) as waiting:
            await self._process.wait()
        if waiting.cancelled_caught:
            return UnreadableDocument("the reader stopped answering")
        code = self._process.returncode or 0
        log.warning("reading process ended", exit_code=code, said=self._last_words())
        if code == OUT_OF_MEMORY:
            return UnreadableDocument(f"needed more than {self._limits.memory_bytes / 1e9:g} GB of memory")
        if code in (-signal.SIGTERM, -9):  # Windows has no SIGKILL
            return EndedFromOutside(f"the reader was ended from outside (signal {-code}), maybe for lack of memory")
        return UnreadableDocument(
            f"the reader crashed on it (signal {-code})" if code < 0 else f"the reader ended with code {code}"
        )

    def _kill(self) -> None:
        try:
            self._process.kill()
        except ProcessLookupError:
            return  # the process has just ended

    def _last_words(self) -> str:
        if self._errors.closed:
            return ""
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - _LOG_BYTES))
        return self._errors.read().decode("utf-8", "replace").strip()


async def _start_process(
    limits: Limits, environment: Mapping[str, str] | None
) -> tuple[Process, Limits, IO[bytes], TemporaryDirectory[str]]:
    """Start a process. Return it with its limits, the file that receives its standard error, and its temporary folder,
    which a killed process cannot remove."""
    try:
        place = environment.get("TMPDIR") if environment else None
        folder = TemporaryDirectory(prefix="ibid-reader-", dir=place, ignore_cleanup_errors=True)
    except OSError as error:
        raise InternalError(f"No temporary folder can be created for a reading process: {error.strerror}") from error
    command_line = command("corpus.readers.sandbox.main", str(limits.memory_bytes), folder.name)
    with ExitStack() as stack:
        stack.callback(folder.cleanup)
        try:
            errors = stack.enter_context((Path(folder.name) / "errors").open("w+b"))
            process = await anyio.open_process(command_line, stderr=errors, env=environment)
        except OSError as error:
            raise InternalError(f"The reading process does not start: {error.strerror}") from error
        stack.pop_all()
    return process, limits, errors, folder
