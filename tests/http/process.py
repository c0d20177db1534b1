"""`ibid serve --http` as a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from server.http.binding import Address
from tests.doubles.raw_stdio import CHECKOUT
from tests.patience import PATIENCE

COMMAND = [sys.executable, "-X", "utf8", "-c", "from server.cli import main; main()", "serve", "--http"]
SAID = re.compile(r"Ibid listens at http://([^/]+):(\d+)/mcp\. (.*)")


class HttpProcess:
    """A context manager; `code` and `said`, all of standard error, are known after `stop`."""

    def __init__(self, env: Mapping[str, str], place: str = "127.0.0.1:0") -> None:
        self._env, self._place = env, place
        self.said = ""
        self.code: int | None = None

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [*COMMAND, self._place], cwd=CHECKOUT, env=dict(self._env), stderr=subprocess.PIPE,
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line
            if told := SAID.search(line):
                self.address, self.known = Address(told[1].strip("[]"), int(told[2])), told[3]
                return self
        raise AssertionError(f"the server did not start: {self.said}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self._ended()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.code is None:
            self.process.kill()
            self._ended()

    def _ended(self) -> None:
        out, err = self.process.communicate(timeout=PATIENCE)
        self.said += err
        self.code = self.process.returncode
        assert out == ""


def refused(env: Mapping[str, str], place: str) -> tuple[int, str]:
    """The exit code and what is said by a command that cannot serve there."""
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
