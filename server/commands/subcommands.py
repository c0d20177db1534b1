"""A group of commands whose help says of each what it does in a whole sentence; by itself it would be cut short."""

from __future__ import annotations

import click


class Subcommands(click.Group):
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        named = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl([(name, _sentence(one)) for name, one in named.items() if one])


def _sentence(command: click.Command) -> str:
    """The first of its help."""
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".") + "."
