"""Write docs/commands.md from the command line's definitions: `make reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from server.commands.group import ibid

PAGE = Path("docs/commands.md")
HEAD = """\
# Commands

Generated from the help of the commands by `make reference`; `ibid COMMAND --help` prints the same.

- With `--json`, a command that lists or reports prints one JSON value.
- Exit codes: 0 success, 1 something failed and is named, 2 wrong use or settings, 130 interrupted (Ctrl-C).
- `ask`, `search`, `list`, `status`, `verify` and `eval` show only what the user of the [settings](settings.md) may
  read. `ingest`, `remove`, `index`, `doctor` and `azure push` work on all documents.
"""
VERBATIM = "\b"
"""Marker that makes click preserve the line breaks of a paragraph."""


def page() -> str:
    """Return the complete page as Markdown."""
    with click.Context(ibid, info_name="ibid") as context:
        return "\n".join([HEAD, *_subcommands(ibid, context)])


def _subcommands(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        if command := group.get_command(context, name):
            yield from _command(name, command, context)


def _command(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    with click.Context(command, info_name=name, parent=parent) as context:
        level = "#" * len(context.command_path.split())
        yield f"{level} {context.command_path}\n"
        yield f"`{context.command_path} {' '.join(command.collect_usage_pieces(context))}`\n"
        yield from _paragraphs(command.help or "")
        yield from _options(command, context)
        yield from _paragraphs(command.epilog or "")
        if isinstance(command, click.Group):
            yield from _subcommands(command, context)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in cleandoc(text).split("\n\n"):
        if paragraph.startswith(VERBATIM):
            lines = "\n".join(paragraph.splitlines()[1:]).replace("\n ", " ").splitlines()
            yield from (f"- `{' '.join(line.split())}`" for line in lines)
            yield ""
        elif paragraph:
            yield f"{' '.join(paragraph.split())}\n"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield a table of the options. The usage line contains the arguments."""
    options = [parameter for parameter in command.get_params(context) if isinstance(parameter, click.Option)]
    records = [option.get_help_record(context) for option in options if "--help" not in option.opts]
    rows = [record for record in records if record]
    if rows:
        yield "| option | meaning |"
        yield "|---|---|"
        for option, meaning in rows:
            cell = " ".join(meaning.split()).replace("|", "\\|")
            yield f"| `{option.replace('|', chr(92) + '|')}` | {cell} |"
        yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
