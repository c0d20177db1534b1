"""A server that stops before it loads the SDK, until a test lets it continue. Its earlier answers come from a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.doubles.raw_stdio import RawServer

CODE = """
import os, sys, time
class Gate:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            while not os.path.exists(os.environ["IBID_TESTS_GATE"]):
                time.sleep(0.01)
sys.meta_path.insert(0, Gate())
from server.cli import main
main()
"""


class GateServer(RawServer):
    """The process of `ibid serve`, stopped at the gate until `let_go`."""

    def __init__(self, env: dict[str, str], gate: Path, *, era: str = "legacy") -> None:
        self._gate = gate
        command = [sys.executable, "-P", "-c", CODE, "serve"]
        super().__init__(env=env | {"IBID_TESTS_GATE": str(gate)}, command=command, era=era)

    def let_go(self) -> None:
        self._gate.touch()

    def close(self) -> int:
        self.let_go()
        return super().close()

    def messages(self) -> list[dict[str, Any]]:
        """Return all messages that the process wrote until its end."""
        return [json.loads(line) for line in self.lines]
