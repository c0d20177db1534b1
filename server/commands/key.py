"""`ibid key`: manage keys for callers over HTTP, where there is no identity provider."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from corpus.errors import IbidError
from server.commands.key_add import command as add
from server.commands.key_add import place
from server.commands.running import failure, settings_and_logs
from server.commands.terminal.json_output import json_option, print_json
from server.commands.terminal.subcommands import Subcommands
from server.commands.terminal.terminal_wrap import print_line, unbroken
from server.identity.api_keys import ApiKey, change_keys, read_keys


@click.group("key", cls=Subcommands)
def command() -> None:
    """Create, list and remove keys for callers over HTTP, in the file of RAG_API_KEYS.

    For small teams without an identity provider. A key says who its bearer is, and access lists apply to them as to
    anybody. The file holds no key, only digests. A server notices each change at once.
    """


command.add_command(add)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Print each key's name, who its bearer is, and how long it lasts. The keys themselves are kept nowhere."""
    path = place(settings_and_logs())
    try:
        keys = read_keys(path)
    except FileNotFoundError:
        keys = ()
    except IbidError as error:
        raise failure(error) from error
    if as_json:
        print_json({"keys": [_facts(key) for key in keys]})
        return
    for key in keys:
        print_line(f"{key.name}  {' '.join(bearer(key))}  {_lasts(key)}", hanging=4)
    if not keys:
        print_line("No keys in ", unbroken(path), ". `ibid key add NAME` makes one.", beside=True)


@command.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def remove(names: tuple[str, ...]) -> None:
    """Remove keys by their names: from then on they open nothing. All or none."""
    path = place(settings_and_logs())

    def without(keys: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
        if missing := set(names) - {one.name for one in keys}:
            raise click.UsageError(f"No key is called {', '.join(sorted(missing))}. `ibid key list` names them.")
        return tuple(one for one in keys if one.name not in names)

    try:
        change_keys(path, without)
    except IbidError as error:
        raise failure(error) from error
    for name in dict.fromkeys(names):
        click.echo(f"removed {name}")
    click.echo("Addresses of pictures that were given out before open until they expire.", err=True)


def bearer(key: ApiKey) -> list[str]:
    """Their principals, as access lists hold them."""
    return _principals(key) or ["nobody in particular"]


def _principals(key: ApiKey) -> list[str]:
    return sorted(key.who.principals(prefixed=True) - {"*"})


def _facts(key: ApiKey) -> dict[str, object]:
    """`created` and `expires` as ISO 8601, in UTC."""
    created, expires = (
        datetime.fromtimestamp(one, UTC).isoformat() if one else None for one in (key.created, key.expires)
    )
    return {"name": key.name, "principals": _principals(key), "created": created, "expires": expires}


def _lasts(key: ApiKey) -> str:
    if key.expires is None:
        return "does not expire"
    day = datetime.fromtimestamp(key.expires, UTC)
    return f"{'expired' if day <= datetime.now(UTC) else 'expires'} {day:%Y-%m-%d %H:%M} UTC"
