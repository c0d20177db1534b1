"""`ibid uninstall`: remove Ibid from a client's configuration."""

from __future__ import annotations

from pathlib import Path

import click

from corpus.errors import IbidError
from server.clients import change, plan
from server.clients.entry import backup_notes, secrets_in
from server.clients.known import CLIENTS
from server.clients.plan import difference
from server.commands.clients.client_options import (
    KNOWN,
    client_argument,
    dry_run_option,
    file_of,
    name_option,
    project_option,
    tell,
)
from server.commands.running import failure
from server.commands.terminal import json_option


@click.command("uninstall", epilog=KNOWN)
@client_argument
@project_option
@name_option
@dry_run_option
@json_option
def command(client: str, project: Path | None, name: str, dry_run: bool, as_json: bool) -> None:
    """Remove Ibid from the configuration of CLIENT. The index and its documents stay."""
    of = CLIENTS[client]
    try:
        with change.alone():
            config = change.look(file_of(of, project))
            made = plan.uninstalled(config, of, name)
            secret = made.writes and project is None and bool(secrets_in(of.entry_in(config.text, name)))
            backup = change.replace(config, made.text, secret=secret) if made.writes and not dry_run else None
    except IbidError as error:
        raise failure(error) from error
    diff = difference(config.file, of, name, config.text, made.text) if made.writes else ""
    notes = backup_notes(of, config.text, name) if backup else []
    tell(of, config, made, name=name, change=diff, dry_run=dry_run, as_json=as_json, backup=backup, notes=notes)
