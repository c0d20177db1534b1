"""A command group whose help describes each command in a whole sentence; click would cut it short."""

from __future__ import annotations

import click


class Subcommands(click.Group):
    """Lists its commands with the first sentence of their help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See `click.Group`."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl([(name, _sentence(one)) for name, one in commands.items() if one])


def _sentence(command: click.Command) -> str:
    """The first of its help."""
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".") + "."
