"""The help of every command on terminals of any width."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from server.commands.group import ibid


def commands(of: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(of, click.Group):
        with click.Context(of) as ctx:
            for name in of.list_commands(ctx):
                yield from commands(of.get_command(ctx, name) or click.Command(name), (*path, name))


def help_of(path: tuple[str, ...], width: int) -> list[str]:
    ran = CliRunner().invoke(ibid, [*path, "--help"], terminal_width=width, max_content_width=width)
    assert ran.exit_code == 0
    return ran.output.splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    """Lines to be copied into a shell's start-up file are exempt."""
    paths = [path for path in commands(ibid) if path != ("completion",)]
    assert ("key", "add") in paths
    long = {path: line for path in paths for line in help_of(path, width) if len(line) > width}
    assert not long


@pytest.mark.parametrize("group", ["azure", "index", "key"])
def test_a_command_description_is_not_truncated(group: str) -> None:
    text = "\n".join(help_of((group,), 60))
    assert "..." not in text.split("Commands:")[1]
