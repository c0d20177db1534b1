"""Answer requests from the kept file while the SDK is loading.

All lines are also queued for the SDK, so that it sees the complete session. The SDK's own answers to requests that were
answered here are only compared, not sent again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain

from server.first_answers.kept_file import kept_path, load
from server.first_answers.requests import Session, answer_line, is_result, parse
from server.sdk_gaps.stdio_descriptors import END_BYTES, Line, lines, take_over, write_all

MAX_ANSWERED = 48_000
"""Maximum total size of the answers, in bytes. They must fit into the buffer of a pipe, because the client may not be
reading yet."""
MAX_QUEUED = 1_000_000
"""Maximum total size of the lines in the queue for the SDK, in bytes. Further lines are not read until the SDK is
loaded."""
SECONDS_FOR_FIRST = 0.05
"""Maximum number of seconds that the import of the SDK waits for the first request. Without this wait, the import would
delay the answer to that request."""


class QueuedLine:
    """A line for the SDK, and the answer if it was already sent."""

    __slots__ = ("answer", "key", "line")

    def __init__(self, line: Line, key: str | None = None, answer: bytes | None = None) -> None:
        self.line, self.key, self.answer = line, key, answer


class EarlyAnswers:
    """A thread that reads the client's lines for the life of the process. Until `close` is called, it answers and
    queues lines; after `hand_on` is called, it passes them on."""

    def __init__(self, wire_in: int, wire_out: int, results: Mapping[str, str] | None = None) -> None:
        self.wire_in, self.wire_out = wire_in, wire_out
        self.results = dict(results or {})
        self.session = Session()
        self._lock = threading.Lock()
        self._queue: list[QueuedLine] = []
        self._queue_bytes = self._answer_bytes = 0
        self._is_closed = False
        self._first = threading.Event()
        self._handover = threading.Event()
        self._feed: Callable[[Iterator[Line]], object] = list

    def start(self) -> None:
        """Start the reading thread."""
        # Use a daemon thread, so that neither the loop nor the interpreter waits for the client's next line.
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def wait_for_first(self, seconds: float) -> None:
        """Wait until the first line is handled, but at most `seconds`."""
        self._first.wait(seconds)

    def close(self) -> list[QueuedLine]:
        """Stop answering and return the lines received so far. This may block as long as the client does not read."""
        with self._lock:
            self._is_closed = True
            return self._queue

    def hand_on(self, feed: Callable[[Iterator[Line]], object]) -> None:
        """Call `feed` in the reading thread with all further lines."""
        self._feed = feed
        self._handover.set()

    def _read(self) -> None:
        incoming = lines(self.wire_in)
        rest: list[Line] = []
        with suppress(OSError):
            for line in incoming:
                waits = self._queue_early(line)
                self._first.set()
                if not waits:
                    rest.append(line)
                    break
        self._first.set()
        self._handover.wait()
        self._feed(chain(rest, incoming))

    def _queue_early(self, line: Line) -> bool:
        with self._lock:
            if self._is_closed or self._queue_bytes > MAX_QUEUED:
                return False
            entry = self._answered(line)
            self._queue.append(entry)
            self._queue_bytes += len(line) if isinstance(line, bytes) else 2 * END_BYTES
            return True

    def _answered(self, line: Line) -> QueuedLine:
        message = parse(line) if isinstance(line, bytes) else None
        key = self.session.key(message) if message else None
        if message is None:
            self.session.give_up()  # it may have been the first request
        if message is None or key is None:
            return QueuedLine(line)
        result = self.results.get(key)
        if result is None or not is_result(result):
            if self.session.opens(message):
                self.session.give_up()
            return QueuedLine(line)
        answer = answer_line(message["id"], result)
        self._answer_bytes += len(answer) + 1
        if self._answer_bytes > MAX_ANSWERED:
            self.session.give_up()
            return QueuedLine(line)
        with suppress(OSError):  # the client is gone; the end of its input will stop the server
            write_all(self.wire_out, answer + b"\n")
        return QueuedLine(line, key, answer)


def own_kept_path() -> str | None:
    """Return the path of the kept file for this environment. This does not load the settings, which would take too
    long."""
    return kept_path(os.environ)


def begin() -> EarlyAnswers | None:
    """Take over standard input and output and answer from the kept file. If there is no kept file, do nothing and
    return None."""
    try:
        if os.isatty(0):
            return None
        os.fstat(0), os.fstat(1)
    except OSError:
        return None
    path = own_kept_path()
    results = load(path) if path else {}
    if not results:
        return None
    early = EarlyAnswers(*take_over(), results)
    early.start()
    early.wait_for_first(SECONDS_FOR_FIRST)
    return early
