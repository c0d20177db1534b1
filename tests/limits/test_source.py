"""No module of the product runs code from data or passes a command line to a shell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "pty", "commands"}
FORBIDDEN_CALLS = {
    "eval", "exec", "__import__", "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput",
    "yaml.load", "yaml.unsafe_load", "numpy.load", "np.load", "tempfile.mktemp",
}  # fmt: skip


def modules() -> list[Path]:
    return [one for package in ("corpus", "prompts", "server", "tools") for one in (ROOT / package).rglob("*.py")]


def faults(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from (one for one in named if one.split(".")[0] in FORBIDDEN_MODULES)
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in FORBIDDEN_CALLS:
                yield called
            if any(key.arg == "shell" and getattr(key.value, "value", True) for key in node.keywords):
                yield f"{called}(shell=True)"


@pytest.mark.parametrize(
    "source",
    ["import pickle", "from pickle import loads", "eval(text)", "os.system(line)", "run(line, shell=True)"],
)
def test_the_check_detects_violations(source: str) -> None:
    assert list(faults(source))


def test_nothing_runs_code_or_a_shell_from_data() -> None:
    found = {one: told for one in modules() if (told := list(faults(one.read_text("utf-8"))))}

    assert found == {}
