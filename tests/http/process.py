"""`ibid serve --http` as a separate process."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from server.http.binding import Address
from tests.doubles.raw_stdio import CHECKOUT
from tests.patience import PATIENCE

COMMAND = [sys.executable, "-X", "utf8", "-c", "from server.cli import main; main()", "serve", "--http"]
SAID = re.compile(r"Ibid listens at http://([^/]+):(\d+)/mcp(?:[ ,].*?)?\. (.*)")


class HttpProcess:
    """A context manager. `code` is known after `stop`, and `said` is all of standard error. The address is the last
    word of the command."""

    def __init__(self, env: Mapping[str, str], place: str = "127.0.0.1:0", command: Sequence[str] = COMMAND) -> None:
        self._env, self._command = env, [*command, place]
        self.said = ""
        self.code: int | None = None
        self._told = threading.Event()

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._command, cwd=CHECKOUT, env=dict(self._env), stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        # Read continuously, because a full pipe would block the server.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._told.wait(PATIENCE)
        told = SAID.search(self.said)
        assert told, f"the server did not start: {self.said}"
        self.address, self.known = Address(told[1].strip("[]"), int(told[2])), told[3]
        return self

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self._ended()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.code is None:
            self.process.kill()
            self._ended()

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.said += line
                if SAID.search(line):
                    self._told.set()
        self._told.set()

    def _ended(self) -> None:
        self.code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)


def refused(env: Mapping[str, str], place: str) -> tuple[int, str]:
    """Return the exit code and the message of a command that cannot serve there."""
    done = subprocess.run(
        [*COMMAND, place],
        check=False,
        cwd=CHECKOUT,
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.returncode, done.stderr
