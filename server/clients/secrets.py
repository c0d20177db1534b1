"""What is to be known of the secrets that an entry holds, or leaves to the client to ask for."""

from __future__ import annotations

import re
from typing import Any

from server.clients.entry import secret_names
from server.clients.json_entries import load
from server.clients.known import Client

_INPUT = re.compile(r"\$\{input:([^${}]*)\}")
_LEFT_OPEN = re.compile(r"\$\{[^}]*\}")
SHARED = (
    "{names}: a secret in a file of the project, which others may share, and in the copies beside it that changes "
    "leave (`….before-ibid…`). Keep these files out of version control, or take it out again: `--set {first}=`."
)
IN_A_COPY = "{names}: a secret, and still in that copy. Delete it when you need it no more."
MADE_PRIVATE = "{file} holds a secret ({names}): from now on only you can read it (0600), and its new copy."
UNASKED = 'Nothing under "inputs" has the id "{name}" there, so {title} has nothing to put in its place: add one.'


def secret_notes(client: Client, entry: dict[str, Any], text: str, *, shared: bool) -> list[str]:
    """`text` is the whole file with the entry; `shared` says that it belongs to a project."""
    env = _texts(entry)
    plain = _plain(env)
    notes = [SHARED.format(names=", ".join(plain), first=plain[0])] if shared and plain else []
    wanted = dict.fromkeys(name for value in env.values() for name in _INPUT.findall(value))
    if not wanted or client.toml:
        return notes
    inputs = load(text).get("inputs")
    ids = [one.get("id") for one in inputs if isinstance(one, dict)] if isinstance(inputs, list) else []
    return notes + [UNASKED.format(name=name, title=client.title) for name in wanted if name not in ids]


def secrets_in(entry: dict[str, Any] | None) -> list[str]:
    """The names of the secrets that stand in an entry as they are."""
    return _plain(_texts(entry or {}))


def backup_notes(client: Client, text: str, name: str) -> list[str]:
    """Of the file as it was before, which stays beside it."""
    there = client.entry_in(text, name) or {}
    plain = secrets_in(there)
    return [IN_A_COPY.format(names=", ".join(plain))] if plain else []


def _texts(entry: dict[str, Any]) -> dict[str, str]:
    """What somebody wrote into the file by hand may be anything."""
    env = entry.get("env")
    return {name: value for name, value in env.items() if isinstance(value, str)} if isinstance(env, dict) else {}


def _plain(env: dict[str, str]) -> list[str]:
    return [name for name, value in env.items() if name in secret_names() and not _LEFT_OPEN.fullmatch(value)]
