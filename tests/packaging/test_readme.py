"""The README is short, and its settings, commands and example answer are real. tests/documentation runs its code
blocks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from server.clients.plan import is_ours
from server.commands.group import COMMANDS
from server.settings.model import fields

MAX_LINES = 150


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_short(readme: str) -> None:
    assert len(readme.splitlines()) <= MAX_LINES


def test_the_settings_exist_and_have_these_defaults(readme: str) -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*?) ?\|", readme, re.MULTILINE))
    defaults = {str(field.validation_alias): _default(field.default) for field in fields().values()}
    assert len(rows) == 10
    assert rows == {name: defaults[name] for name in rows}


def _default(default: object) -> str:
    return f"`{default}`" if default not in (None, ()) and isinstance(default, str) else ""


def test_the_commands_exist(readme: str) -> None:
    named = re.findall(r"^\| `ibid ([\w-]+)", readme, re.MULTILINE)
    assert len(named) == 6
    assert set(named) <= set(COMMANDS)


def test_the_client_configuration_in_the_repository_starts_ibid(root: Path) -> None:
    servers = json.loads((root / "mcp.json").read_text(encoding="utf-8"))["mcpServers"]
    assert is_ours(servers["ibid"])


def test_the_shown_answer_is_the_one_on_the_answers_page(readme: str, root: Path) -> None:
    """That page is generated, and a test checks that it is current."""
    answer = _quotation((root / "docs" / "answers.md").read_text(encoding="utf-8"))
    excerpt = _quotation(readme)
    assert len(excerpt) > 3
    assert [part for part in excerpt if not any(whole.startswith(part) for whole in answer)] == []


def _quotation(text: str) -> list[str]:
    """Return the paragraphs of the first quotation, without ellipses and the targets of pictures."""
    lines = re.search(r"^>(?:.*\n>)*.*$", text, re.MULTILINE)
    assert lines
    plain = re.sub(r"^> ?", "", lines[0], flags=re.MULTILINE)
    without = re.sub(r"(!\[.*?\])\(.*?\)", r"\1", plain)
    return [" ".join(part.split()).removesuffix(" …") for part in without.split("\n\n")]
