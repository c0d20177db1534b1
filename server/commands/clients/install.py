"""`ibid install`: add Ibid to a client's configuration."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import click

from corpus.errors import IbidError
from server.clients import change, plan
from server.clients.change import add_by_client
from server.clients.entry import MADE_PRIVATE, backup_notes, environment, secret_notes, secrets_in, wishes
from server.clients.known import CLIENTS
from server.clients.launch import Running, by_name, launch
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
from server.first_answers.kept_file import PREFIXES
from server.settings.model import environment_without

LEFT_OUT = "{names}: omitted, because it is secret. `--set {first}` copies it from your environment into the file."

FIRST_START_SECONDS = 30
_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "ibid", "version": "1"},
    },
}


@click.command("install", epilog=KNOWN)
@client_argument
@project_option
@name_option
@click.option("--data-dir", metavar="FOLDER", help="Same as --set RAG_DATA_DIR=FOLDER.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE",
              help="A setting; NAME alone copies it from your environment, NAME= removes it.")  # fmt: skip
@dry_run_option
@json_option
def command(client: str, project: Path | None, name: str, data_dir: str | None, assignments: tuple[str, ...],
            dry_run: bool, as_json: bool) -> None:  # fmt: skip
    """Add Ibid to the configuration of CLIENT, which then starts `ibid serve` itself.

    The entry has absolute paths and your current settings. The rest of the file is unchanged, and a backup is kept next
    to it. Run the command again to update the entry.
    """
    into = CLIENTS[client]
    by_client = False
    try:
        wanted = wishes([*assignments, *([f"RAG_DATA_DIR={data_dir}"] if data_dir else [])])
        settings = environment(wanted, shared=project is not None)
        start = by_name(Running.here()) if project else launch(Running.here())
        entry = into.entry(start.command, start.args, settings.values)
        with change.alone():
            config = change.look(file_of(into, project))
            try:
                made = plan.installed(config, into, name, entry, wanted.taken_out)
            except plan.NotPlain:
                by_client = not (project or dry_run or secrets_in(entry)) and add_by_client(into, name, entry)
                if not by_client:
                    raise
                made = plan.Plan("added", config.text, entry)
            writes = made.writes and not by_client
            plain = secrets_in(made.entry or entry)
            if writes and not plain:
                plain = secrets_in(into.entry_in(config.text, name))  # these remain in the backup
            # A project's file is shared, so it stays readable, and a note warns about the secret.
            secret = bool(plain) and project is None
            opened = secret and change.others_read(config)
            backup = None
            if writes and not dry_run:
                backup = change.replace(
                    config, made.text, without_ours=made.first, shared=project is not None, secret=secret
                )
    except IbidError as error:
        raise failure(error) from error
    if project is None and not dry_run:
        start_once([start.command, *start.args], (made.entry or entry)["env"])
    diff = difference(config.file, into, name, config.text, made.text) if writes else ""
    notes = [start.note] if start.note else []
    if settings.left_out:
        notes.append(LEFT_OUT.format(names=", ".join(settings.left_out), first=settings.left_out[0]))
    notes += backup_notes(into, config.text, name) if backup else []
    if opened and backup:
        notes.append(MADE_PRIVATE.format(file=config.file, names=", ".join(plain)))
    if by_client:
        notes.append(f"{into.adds_by} --add-mcp added it, because the file is not plain JSON.")
    else:
        notes += secret_notes(into, made.entry or entry, made.text, shared=project is not None)
    tell(
        into,
        config,
        made,
        name=name,
        change=diff,
        dry_run=dry_run,
        as_json=as_json,
        backup=backup,
        notes=notes,
    )


def start_once(command: Sequence[str], settings: Mapping[str, str]) -> None:
    """Start the server once in the same way as the client, so that it caches its first answers and the client's first
    start is as fast as later starts. Failures are ignored, because the client will report them."""
    env = environment_without(PREFIXES) | dict(settings)
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(  # noqa: S603
            command, env=env, input=json.dumps(_HELLO).encode() + b"\n", check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=FIRST_START_SECONDS,
        )  # fmt: skip
