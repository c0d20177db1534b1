"""What the README says is so: its settings, its commands, its tools."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo

from server.commands.group import COMMANDS
from server.settings import fields
from tests.doubles.azure_search.in_thread import standing_in

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """A folder with the sample documents, as in a checkout."""
    shutil.copytree(root / "examples" / "documents", tmp_path / "examples" / "documents")
    return tmp_path


def test_the_table_of_settings_is_the_model(readme: str) -> None:
    rows = re.findall(r"^\| `[A-Z_]+` \|.*$", readme, re.MULTILINE)
    assert rows == [row(field) for field in fields().values()]


def test_every_command_is_explained(readme: str) -> None:
    assert set(re.findall(r"^\| `ibid (\w+)", readme, re.MULTILINE)) == set(COMMANDS)


def test_the_client_configuration_is_the_one_in_the_repository(readme: str, root: Path) -> None:
    assert (root / "mcp.json").read_text() in readme


def test_every_tool_is_explained(readme: str, root: Path) -> None:
    tools = {path.stem for path in (root / "tools").glob("*.py") if path.stem.startswith(("rag_", "llm_"))}
    assert set(re.findall(r"^\| `((?:rag|llm)_\w+)` \|", readme, re.MULTILINE)) == tools


def test_the_commands_of_the_readme_work_in_their_order(readme: str, folder: Path) -> None:
    """Search is by words here: vectors take minutes on a small machine, and have tests of their own. The service is a
    stand-in of Azure AI Search."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "AZURE_"))}
    with standing_in() as service:
        settings = {
            "RAG_DATA_DIR": str(folder / "data"), "RAG_EMBEDDER": "none",
            "AZURE_SEARCH_ENDPOINT": service.endpoint, "AZURE_SEARCH_API_KEY": service.admin_key,
        }  # fmt: skip
        for beside, command in commands(readme):
            env = kept | settings | beside
            done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
        assert service.documents("documents-metadata")


def row(field: FieldInfo) -> str:
    default = "" if field.default_factory or field.default in (None, ()) else shown(field.default)
    return f"| `{field.validation_alias}` | {default} | {field.description} |"


def shown(default: object) -> str:
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def commands(readme: str) -> list[tuple[dict[str, str], list[str]]]:
    """Those of `ibid` in the blocks of the console, started as a client would start them, each with the settings that
    stand before it."""
    lines = [
        line for block in CONSOLE.findall(readme) for line in block.splitlines() if line.startswith("$ ")
    ]
    words = [shlex.split(line, comments=True)[1:] for line in lines]
    ibid = str(Path(sys.executable).with_name("ibid"))
    return [
        (
            dict(one.split("=", 1) for one in some[: some.index("ibid")]),
            [ibid, *some[some.index("ibid") + 1 :]],
        )
        for some in words
        if "ibid" in some
    ]
