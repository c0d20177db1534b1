"""Ctrl-C at any time: one line, exit code 130, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from corpus.errors import Timeout
from corpus.index.local import LocalIndex
from server.commands.running import run

CTRL_C = "import os, signal, sys\ndef ctrl_c(): os.kill(os.getpid(), signal.SIGINT)\n"
MAIN = "from server.cli import main\nmain()\n"

LOADING = """
class Finder:
    def find_spec(self, name, path, target=None):
        if name == MODULE:
            ctrl_c()
sys.meta_path.insert(0, Finder())
"""
AT_THE_END = """
leave = sys.exit
def interrupted(code):
    ctrl_c()
    leave(code)
sys.exit = interrupted
"""
AFTER_ALL = "import atexit\natexit.register(ctrl_c)\n"


def ended(tmp_path: Path, moment: str) -> tuple[int, str]:
    anyio.run(LocalIndex.open(tmp_path / "index", None).aclose)
    env = {**os.environ, "RAG_DATA_DIR": str(tmp_path / "index"), "RAG_EMBEDDER": "none"}
    done = subprocess.run(
        [sys.executable, "-c", CTRL_C + moment + MAIN, "list"],
        env=env, timeout=60, check=False, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "module",
    [
        "click",
        pytest.param("server.commands.list", marks=pytest.mark.slow),
        pytest.param("server.bootstrap", marks=pytest.mark.slow),
        "corpus.index.local",
    ],
)
def test_ctrl_c_while_loading_ends_the_command(tmp_path: Path, module: str) -> None:
    code, said = ended(tmp_path, LOADING.replace("MODULE", repr(module)))
    assert code == 130
    assert said.strip().splitlines() == ["Interrupted. Finished work is kept; run the same command again to continue."]


def test_ctrl_c_at_the_very_end_is_reported_in_one_line(tmp_path: Path) -> None:
    code, said = ended(tmp_path, AT_THE_END)
    assert code == 130
    assert said == "Interrupted. Finished work is kept; run the same command again to continue.\n"


def test_ctrl_c_after_completion_changes_nothing(tmp_path: Path) -> None:
    assert ended(tmp_path, AFTER_ALL) == (0, "")


def test_a_failure_caused_by_ctrl_c_is_not_reported_instead_of_it() -> None:
    async def both() -> None:
        raise BaseExceptionGroup("", [Timeout("too slow"), KeyboardInterrupt()])

    with pytest.raises(KeyboardInterrupt):
        run(both)
