"""What the documentation tells to type exists, and the pages on care and evaluation work line by line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from server.commands.group import ibid

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELLS = ("console", "bash", "sh", "")
INLINE = re.compile(r"`(ibid [a-z][^`]*)`")
TYPED = re.compile(r"^(?:\$ )?(ibid .*)$", re.MULTILINE)
QUESTIONS = '{"question": "How fast does the impeller turn?", "document": "pumps.md"}\n'


def test_every_command_and_option_that_is_named_exists(root: Path) -> None:
    pages = [*root.glob("*.md"), *root.glob("docs/*.md"), root / "prompts" / "README.md"]
    named = [(page.name, line) for page in pages for line in typed(page.read_text(encoding="utf-8"))]
    assert len(named) > 100
    assert [(page, line) for page, line in named if not exists(line)] == []


def typed(text: str) -> Iterator[str]:
    yield from in_blocks(text)
    yield from INLINE.findall(BLOCK.sub("", text))


def in_blocks(text: str) -> list[str]:
    return [
        line for language, block in BLOCK.findall(text) if language in SHELLS for line in TYPED.findall(block)
    ]


def exists(line: str) -> bool:
    """Whether each word that names a command, and each option, is known where it stands."""
    words = shlex.split(line.split(" #", maxsplit=1)[0].replace("…", "").replace("'", ""))[1:]
    command: click.Command = ibid
    context = click.Context(ibid)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        if name.isupper():  # stands for any
            return True
        found = command.get_command(context, name)
        if found is None:
            return False
        command = found
    known = {option for one in command.get_params(context) for option in one.opts} | {
        "--help",
        "--version",
        "-h",
    }
    return all(word.split("=")[0] in known for word in words if word.startswith("-") and len(word) > 1)


@pytest.mark.parametrize("line", ["ibid serch x", "ibid index mend", "ibid ask x --htm f", "ibid azure pull"])
def test_a_wrong_one_is_noticed(line: str) -> None:
    assert not exists(line)


def test_the_commands_of_care_and_evaluation_work_in_their_order(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pumps.md").write_text(
        "# Pumps\n\n## Impeller\n\nThe impeller turns at 2900 revolutions per minute.\n"
    )
    (tmp_path / "questions.jsonl").write_text(QUESTIONS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "first"))
    monkeypatch.setenv("RAG_EMBEDDER", "none")
    assert ran("ibid ingest pumps.md")
    for name in ("index-care.md", "evaluation.md"):
        text = (root / "docs" / name).read_text(encoding="utf-8")
        lines = in_blocks(text)
        assert lines
        for line in lines:
            if line.startswith("ibid index import"):
                monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "second"))  # another machine
            assert ran(line), line


def ran(line: str) -> bool:
    return CliRunner().invoke(ibid, shlex.split(line)[1:]).exit_code == 0
