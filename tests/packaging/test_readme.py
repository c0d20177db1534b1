"""What the README says is so: its settings, its commands, its tools. Its blocks are tried in tests/documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo

from server.commands.group import COMMANDS
from server.settings import fields


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def test_the_table_of_settings_is_the_model(readme: str) -> None:
    rows = re.findall(r"^\| `[A-Z_]+` \|.*$", readme, re.MULTILINE)
    assert rows == [row(field) for field in fields().values()]


def test_every_command_is_explained(readme: str) -> None:
    assert set(re.findall(r"^\| `ibid ([\w-]+)", readme, re.MULTILINE)) == set(COMMANDS)


def test_the_client_configuration_is_the_one_in_the_repository(readme: str, root: Path) -> None:
    assert (root / "mcp.json").read_text() in readme


def test_every_tool_is_explained(readme: str, root: Path) -> None:
    tools = {path.stem for path in (root / "tools").glob("*.py") if path.stem.startswith(("rag_", "llm_"))}
    assert set(re.findall(r"^\| `((?:rag|llm)_\w+)` \|", readme, re.MULTILINE)) == tools


def row(field: FieldInfo) -> str:
    default = "" if field.default_factory or field.default in (None, ()) else shown(field.default)
    return f"| `{field.validation_alias}` | {default} | {field.description} |"


def shown(default: object) -> str:
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def test_the_answer_that_it_shows_is_the_one_on_the_page_of_answers(readme: str, root: Path) -> None:
    """That page is made by a program, and held to what it makes."""
    answer = quoted((root / "docs" / "answers.md").read_text(encoding="utf-8"))
    shown = quoted(readme)
    assert len(shown) > 5
    assert [one for one in shown if not any(whole.startswith(one) for whole in answer)] == []


def quoted(text: str) -> list[str]:
    """The paragraphs of the first quotation, as far as they are shown, without where pictures lie."""
    lines = re.search(r"^>(?:.*\n>)*.*$", text, re.MULTILINE)
    assert lines
    plain = re.sub(r"^> ?", "", lines[0], flags=re.MULTILINE)
    without = re.sub(r"(!\[.*?\])\(.*?\)", r"\1", plain)
    return [" ".join(one.split()).removesuffix(" …") for one in without.split("\n\n")]
