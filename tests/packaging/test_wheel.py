"""The installed package is complete, and runs from any folder in which a client starts it."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

PACKAGES = {"corpus", "prompts", "server", "tools"}
FAILS = "raise RuntimeError('a file of the user was run')"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a raw line", "version": "0"},
    },
}


@pytest.fixture
def own_packages(tmp_path: Path) -> Path:
    """A user's folder with an odd name, and with packages named like the project's, its dependencies' and Python's.
    Importing one of them fails."""
    folder = tmp_path / 'it\'s a "folder" of $HOME'
    for name in PACKAGES:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(FAILS)
    for name in ("mcp", "json", "click", "numpy", "sitecustomize"):
        (folder / f"{name}.py").write_text(FAILS)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the few variables that a desktop client passes on."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {"HOME": str(tmp_path), "RAG_DATA_DIR": str(tmp_path / "data")}


def test_the_wheel_contains_only_our_four_packages(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in names(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_the_wheel_contains_every_file_of_the_packages(wheel: Path, root: Path) -> None:
    sources = {
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources <= names(wheel)


def test_the_wheel_contains_the_prompts_and_the_py_typed_markers(wheel: Path) -> None:
    assert "prompts/rag_system_prompt.md" in names(wheel)
    assert {f"{package}/py.typed" for package in PACKAGES} <= names(wheel)


def test_the_installed_command_has_help(alone: Path, own_packages: Path, environment: dict[str, str]) -> None:
    command = [alone / "ibid", "--help"]
    done = subprocess.run(command, cwd=own_packages, env=environment, capture_output=True, text=True, check=True)
    assert "ingest" in done.stdout
    assert "serve" in done.stdout


def test_files_are_read_next_to_packages_of_the_same_names(
    alone: Path, own_packages: Path, environment: dict[str, str]
) -> None:
    (own_packages / "note.md").write_text("# Pump\n\nThe pump stands in the cellar.\n")
    command = [alone / "ibid", "ingest", "note.md"]
    done = subprocess.run(
        command,
        cwd=own_packages,
        env=environment | {"RAG_EMBEDDER": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_server_answers_next_to_packages_of_the_same_names(
    alone: Path, own_packages: Path, environment: dict[str, str]
) -> None:
    answer = first_answer([str(alone / "ibid"), "serve"], own_packages, environment)
    assert answer["id"] == 1
    assert answer["result"]["serverInfo"]["name"] == "ibid"


def test_the_client_configuration_names_an_installed_command(root: Path, alone: Path) -> None:
    (entry,) = json.loads((root / "mcp.json").read_text())["mcpServers"].values()
    scripts = tomllib.loads((root / "pyproject.toml").read_text())["project"]["scripts"]
    assert entry["command"] in scripts
    assert (alone / entry["command"]).exists()


def test_an_installed_entry_starts_the_server_without_a_path(
    alone: Path, own_packages: Path, environment: dict[str, str]
) -> None:
    bare = {name: value for name, value in environment.items() if name != "PATH"}
    install = [str(alone / "ibid"), "install", "cursor", "--project", ".", "--set", "RAG_PAGE_LABEL=p."]
    subprocess.run(install, cwd=own_packages, env=bare, check=True, capture_output=True)
    entry = json.loads((own_packages / ".cursor" / "mcp.json").read_text())["mcpServers"]["ibid"]
    assert entry["env"] == {"RAG_PAGE_LABEL": "p."}
    answer = first_answer([entry["command"], *entry["args"]], own_packages, bare | entry["env"])
    assert answer["result"]["serverInfo"]["name"] == "ibid"


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def first_answer(command: list[str], folder: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Return the answer to one raw `initialize` line. Kill the server if it does not answer for a minute."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        patience = threading.Timer(60, server.kill)
        patience.start()
        server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdin.flush()
        line = server.stdout.readline()
        server.stdin.close()
        server.wait(timeout=PATIENCE)
        patience.cancel()
    answer: dict[str, Any] = json.loads(line)
    return answer
