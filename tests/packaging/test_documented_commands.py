"""Commands and options in the documentation exist. tests/documentation tests the code blocks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from server.commands.group import ibid

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELLS = ("console", "bash", "sh", "")
INLINE = re.compile(r"`(ibid [a-z][^`]*)`")
TYPED = re.compile(r"^(?:\$ )?(ibid .*)$", re.MULTILINE)


def test_every_named_command_and_option_exists(root: Path) -> None:
    pages = [*root.glob("*.md"), *root.glob("docs/*.md"), root / "prompts" / "README.md"]
    named = [(page.name, line) for page in pages for line in typed(page.read_text(encoding="utf-8"))]
    assert len(named) > 100
    assert [(page, line) for page, line in named if not exists(line)] == []


def typed(text: str) -> Iterator[str]:
    yield from in_blocks(text)
    yield from INLINE.findall(BLOCK.sub("", text))


def in_blocks(text: str) -> list[str]:
    return [line for language, block in BLOCK.findall(text) if language in SHELLS for line in TYPED.findall(block)]


def exists(line: str) -> bool:
    """Return whether each word for a command, and each option, is valid at its position."""
    words = shlex.split(line.split(" #", maxsplit=1)[0].replace("…", "").replace("'", ""))[1:]
    command: click.Command = ibid
    context = click.Context(ibid)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        if name.isupper():  # a placeholder
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
def test_a_wrong_command_or_option_is_noticed(line: str) -> None:
    assert not exists(line)
