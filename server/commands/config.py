"""`ibid config`: print the effective settings, or the entry for a client."""

from __future__ import annotations

import click

from corpus.errors import IbidError
from server.clients.entry import environment, wishes
from server.clients.known import CLIENTS
from server.clients.launch import Running, launch
from server.commands.clients.client_options import name_option, pretty
from server.commands.running import failure, settings_and_logs
from server.commands.terminal import json_option, one_line, output, print_json, print_note

LEFT_OUT = (
    "{names}: a secret, so it is not printed. Add it to `env` yourself if only you can read the file, or let "
    "`ibid install CLIENT --set {first}` copy it from your environment."
)


@click.command("config")
@click.option("--mcp", is_flag=True, help="Print the entry for a client's configuration, with absolute paths.")
@click.option("--client", default="claude-desktop", show_default=True, type=click.Choice(list(CLIENTS)),
              metavar="CLIENT", help="For --mcp: the client, named as for `ibid install`.")  # fmt: skip
@name_option
@json_option
def command(mcp: bool, client: str, name: str, as_json: bool) -> None:
    """Print the effective settings, one per line. Secrets are masked, and settings from the environment are bold.

    With --mcp, print the entry for a client's configuration.
    """
    if mcp:
        _print_entry(client, name)
        return
    settings = settings_and_logs()
    if as_json:
        print_json(settings.masked())
        return
    console, explicit = output(), settings.explicit
    for variable, value in settings.masked().items():
        style = "bold" if variable in explicit else "dim"
        console.print(f"{variable}={one_line(value)}", style=style, markup=False, soft_wrap=True)
    if console.is_terminal and not console.no_color:
        print_note("Settings from the environment are bold; all others have their defaults.")


def _print_entry(client: str, name: str) -> None:
    """Print the entry. Only the text to paste goes to standard output."""
    try:
        settings = environment(wishes(()), shared=False)
    except IbidError as error:
        raise failure(error) from error
    into, start = CLIENTS[client], launch(Running.here())
    entry = into.entry(start.command, start.args, settings.values)
    click.echo(into.pasted(name, entry) if into.toml else pretty({into.root: {name: into.as_written(entry)}}))
    if start.note:
        print_note(start.note)
    if settings.left_out:
        remark = LEFT_OUT.format(names=", ".join(settings.left_out), first=settings.left_out[0])
        print_note(remark)
