"""Options and output that `ibid install` and `ibid uninstall` share."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import click

from corpus.errors import InvalidRequest
from server.clients.change import ConfigFile
from server.clients.known import CLIENTS, Client, Machine
from server.clients.plan import Plan
from server.commands.terminal import lines, one_line, print_json, print_line, print_note, unbroken
from server.settings.model import folder_variables

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

client_argument = click.argument("client", type=click.Choice(list(CLIENTS)), metavar="CLIENT")
KNOWN = f"CLIENT is one of {', '.join(CLIENTS)}."
"""Epilog of a command's help. It lists the choices, because they are too long for the first line of the help."""
project_option = click.option(
    "--project", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="FOLDER",
    help="Use the configuration of this project, which others may share, instead of your own.",
)  # fmt: skip
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")


def check_name(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """Validate a name, as a click callback. Refuse malformed names."""
    if not NAME.fullmatch(value):
        raise click.BadParameter("Names have up to 64 characters: a-z, A-Z, 0-9 and . _ -")
    return value


name_option = click.option("--name", default="ibid", show_default=True, callback=check_name, help="Name of the entry.")


def file_of(client: Client, project: Path | None) -> Path:
    """Return the configuration file of the user, or of `project` if given. Raise InvalidRequest if the client has no
    configuration file for projects."""
    if project is not None:
        if client.project_file is None:
            raise InvalidRequest(f"{client.title} has no configuration for projects. Omit --project.")
        return project.absolute() / client.project_file
    return client.user_file(Machine(sys.platform, Path.home(), folder_variables()))


def tell(
    client: Client,
    config: ConfigFile,
    plan: Plan,
    *,
    name: str,
    change: str,
    dry_run: bool,
    as_json: bool,
    backup: Path | None,
    notes: list[str],
) -> None:
    """Print the outcome, as text or as JSON."""
    if as_json:
        print_json(
            {
                "client": client.name, "name": name, "file": str(config.file), "action": plan.action,
                "dry_run": dry_run, "backup": str(backup) if backup else None, "change": change, "notes": notes,
            }
        )  # fmt: skip
        return
    if change:
        click.echo(lines(change))
    click.echo(_outcome(client, config, plan, name, dry_run))
    if backup:
        print_line("Backup: ", unbroken(str(backup)))
    for remark in notes:
        print_note(remark)


def _outcome(client: Client, config: ConfigFile, plan: Plan, name: str, dry_run: bool) -> str:
    file = one_line(config.file)
    if plan.action == "unchanged":
        return f"{name} is already in {client.title}, unchanged ({file})."
    if plan.action == "absent":
        return f"{name} is not in {client.title} ({file})."
    if dry_run:
        return f"Nothing was written to {file}."
    preposition = "from" if plan.action == "removed" else "to" if plan.action == "added" else "in"
    advice = client.gone if plan.action == "removed" else client.again
    return f"{plan.action} {name} {preposition} {client.title}: {file}\n{advice}"


def pretty(value: Any) -> str:
    """Return the value as indented JSON to paste, with control characters escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(
        character if character.isprintable() or character == "\n" else json.dumps(character)[1:-1] for character in text
    )
