"""`ibid key`: manage keys for callers over HTTP, for use without an identity provider.

`ibid key add` creates a key and prints it once.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from corpus.errors import IbidError
from server.commands.group import Subcommands
from server.commands.running import failure, settings_and_logs
from server.commands.terminal import json_option, print_json, print_line, unbroken
from server.identity.api_keys import NAME, ApiKey, change_keys, digest, new_secret, read_keys
from server.identity.claims import fault
from server.settings.model import Settings

SHOWN_ONCE = "This is the key of {name}. It is shown only once. Clients send it as: Authorization: Bearer KEY"
NOT_SET = (
    "RAG_API_KEYS is not set. Set it to a file for the keys, such as ~/.config/ibid/keys.json, here and for "
    "`ibid serve --http`."
)
PUBLIC_ONLY = "It identifies nobody, so its bearer can only read public documents. --user and --group set the identity."


def _principal(ctx: click.Context, parameter: click.Parameter, value: str | tuple[str, ...] | None) -> object:
    for name in (value,) if isinstance(value, str) else value or ():
        if why := fault(name):
            raise click.BadParameter(f"{name!r} cannot be a name: {why}. Write only the name, such as ann.")
    return value


def _check_name(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    if not NAME.fullmatch(value):
        raise click.BadParameter("Names have up to 64 characters: a-z, A-Z, 0-9 and . _ -")
    return value


def _until(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """Parse a date or a number of days. Return the expiry time in seconds since 1970."""
    if value is None:
        return None
    try:
        if days := re.fullmatch(r"([1-9]\d{0,4})d", value):
            return int(time.time()) + int(days[1]) * 86400
        day = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)
    except (ValueError, OverflowError):
        raise click.BadParameter("Write a day such as 2027-01-31, or a number of days such as 90d.") from None
    if day.timestamp() <= time.time():
        raise click.BadParameter("That day has passed.")
    return int(day.timestamp())


@click.command("add")
@click.argument("name", callback=_check_name)
@click.option("--user", metavar="U", callback=_principal, help="User that the key identifies.")
@click.option(
    "--group",
    "groups",
    metavar="G",
    multiple=True,
    callback=_principal,
    help="Group of that user. May be repeated.",
)
@click.option("--department", metavar="D", callback=_principal, help="Their department.")
@click.option("--org", metavar="O", callback=_principal, help="Their organisation.")
@click.option(
    "--expires",
    metavar="WHEN",
    callback=_until,
    help="Last day of validity (2027-01-31, in UTC), or days from now (90d).",
)
def add(
    name: str,
    user: str | None,
    groups: tuple[str, ...],
    department: str | None,
    org: str | None,
    expires: int | None,
) -> None:
    """Create a key called NAME, and print it once, on standard output.

    For access lists, its bearer is the user and the groups given here: --user ann matches `ibid ingest --allow
    user:ann`.
    """
    path, secret = place(settings_and_logs()), new_secret()
    made = ApiKey(
        name=name, digest=digest(secret), user=user, groups=tuple(dict.fromkeys(groups)), department=department,
        org=org, created=int(time.time()), expires=expires,
    )  # fmt: skip

    def with_it(keys: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
        if any(one.name == name for one in keys):
            raise click.UsageError(f"There is already a key called {name}. Remove it first, or use another name.")
        return (*keys, made)

    try:
        change_keys(path, with_it)
    except IbidError as error:
        raise failure(error) from error
    click.echo(secret)
    print_line(SHOWN_ONCE.format(name=name), beside=True)
    if made.who.anonymous:
        print_line(PUBLIC_ONLY, beside=True)


def place(settings: Settings) -> Path:
    """Return the path of the key file. Raise UsageError if the settings do not contain it."""
    if settings.api_keys is None:
        raise click.UsageError(NOT_SET)
    return settings.api_keys


@click.group("key", cls=Subcommands)
def command() -> None:
    """Create, list and remove keys for callers over HTTP, in the file of RAG_API_KEYS.

    Keys are for small teams without an identity provider. A key identifies its bearer, and access lists apply to them
    as to everybody else. The file contains only digests of the keys. A running server notices each change immediately.
    """


command.add_command(add)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Print each key's name, its bearer and its expiry. The keys themselves are not stored anywhere."""
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
        print_line("No keys in ", unbroken(path), ". `ibid key add NAME` creates one.", beside=True)


@command.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def remove(names: tuple[str, ...]) -> None:
    """Remove keys by their names. They stop working immediately. If a name is unknown, no key is removed."""
    path = place(settings_and_logs())

    def without(keys: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
        if missing := set(names) - {one.name for one in keys}:
            raise click.UsageError(f"No key is called {', '.join(sorted(missing))}. `ibid key list` lists all keys.")
        return tuple(one for one in keys if one.name not in names)

    try:
        change_keys(path, without)
    except IbidError as error:
        raise failure(error) from error
    for name in dict.fromkeys(names):
        click.echo(f"removed {name}")
    click.echo("Picture URLs that were issued earlier work until they expire.", err=True)


def bearer(key: ApiKey) -> list[str]:
    """Return the principals of a key's bearer, in the form used in access lists."""
    return _principals(key) or ["nobody in particular"]


def _principals(key: ApiKey) -> list[str]:
    return sorted(key.who.principals(prefixed=True) - {"*"})


def _facts(key: ApiKey) -> dict[str, object]:
    """Return the key's entry for JSON, with `created` and `expires` as ISO 8601 times in UTC."""
    created, expires = (
        datetime.fromtimestamp(one, UTC).isoformat() if one else None for one in (key.created, key.expires)
    )
    return {"name": key.name, "principals": _principals(key), "created": created, "expires": expires}


def _lasts(key: ApiKey) -> str:
    if key.expires is None:
        return "does not expire"
    day = datetime.fromtimestamp(key.expires, UTC)
    return f"{'expired' if day <= datetime.now(UTC) else 'expires'} {day:%Y-%m-%d %H:%M} UTC"
