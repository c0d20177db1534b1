"""The settings in a client's entry, which the client passes to Ibid as environment variables, and the secrets among
them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from corpus.errors import NotConfigured
from server.clients.json_entries import load
from server.clients.known import Client
from server.settings.model import Settings, check_variable, fields, load_settings

ONLY_HTTP = ("RAG_HTTP_", "RAG_AUTH_", "RAG_API_KEYS", "RAG_CALLER_")
"""Prefixes of the names of settings that have no effect over stdio."""
DATA_DIR = "RAG_DATA_DIR"


@dataclass(frozen=True, slots=True)
class Wishes:
    """The --set options: settings to set (`values`), to remove (`taken_out`), and to copy from the environment
    (`passed_on`)."""

    values: Mapping[str, str]
    taken_out: frozenset[str] = frozenset()
    passed_on: frozenset[str] = frozenset()

    @property
    def explicit(self) -> frozenset[str]:
        """Return the names of settings to put into the entry."""
        return frozenset(self.values) | self.passed_on


@dataclass(frozen=True, slots=True)
class Environment:
    """Settings for an entry. `left_out` lists the secrets that were not requested by name."""

    values: dict[str, str]
    left_out: tuple[str, ...]


def wishes(words: Iterable[str]) -> Wishes:
    """Parse `NAME=value`, `NAME=` and `NAME`. Raise NotConfigured for an unknown setting."""
    values, taken_out, passed_on = {}, set(), set()
    for word in words:
        name, sign, value = word.partition("=")
        check_variable(name)
        if not sign:
            passed_on.add(name)
        elif value:
            values[name] = value
        else:
            taken_out.add(name)
    return Wishes(values, frozenset(taken_out), frozenset(passed_on))


def environment(wanted: Wishes, *, shared: bool) -> Environment:
    """Return the settings for an entry, with absolute paths. With `shared`, return only settings that were requested by
    name, because other people read a project's file. Raise NotConfigured if the settings are invalid."""
    settings = load_settings(changed=wanted.values)
    values, left_out = {}, []
    explicit = settings.explicit
    if missing := sorted(wanted.passed_on - set(explicit)):
        raise NotConfigured(f"{missing[0]} is not set, so there is no value to pass on.")
    for name in explicit:
        by_name = name in wanted.explicit
        if name in wanted.taken_out or (not by_name and (shared or name.startswith(ONLY_HTTP))):
            continue
        if isinstance(explicit[name], SecretStr) and not by_name:
            left_out.append(name)
        else:
            values[name] = _text(settings, name, explicit[name])
    if not shared and DATA_DIR not in wanted.taken_out:
        values.setdefault(DATA_DIR, str(settings.data_dir))
    return Environment(values, tuple(left_out))


def secret_names() -> frozenset[str]:
    """Return the names of the settings that contain secrets."""
    return frozenset(str(field.validation_alias) for field in fields().values() if "SecretStr" in str(field.annotation))


def with_what_was_there(there: Mapping[str, Any], entry: dict[str, Any], taken_out: Collection[str]) -> dict[str, Any]:
    """Merge the entry into the old entry, and keep the user's own keys and settings, except for those in
    `taken_out`."""
    before = there.get("env")
    env = {**(before if isinstance(before, dict) else {}), **entry["env"]}
    return {**there, **entry, "env": {name: value for name, value in env.items() if name not in taken_out}}


def _text(settings: Settings, name: str, value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, Path):
        return str(value.expanduser().absolute())
    return settings.masked()[name]


_INPUT = re.compile(r"\$\{input:([^${}]*)\}")
_LEFT_OPEN = re.compile(r"\$\{[^}]*\}")
SHARED = (
    "{names}: a secret in a file of the project, which others may share, and in its backups next to it "
    "(`….before-ibid…`). Keep these files out of version control, or remove it again: `--set {first}=`."
)
IN_A_COPY = "{names}: a secret, and still in that copy. Delete the copy when you no longer need it."
MADE_PRIVATE = "{file} contains a secret ({names}): from now on only you can read it (0600), and its new copy."
UNASKED = 'The file has no input with the id "{name}" under "inputs", so {title} cannot fill it in: add one.'


def secret_notes(client: Client, entry: dict[str, Any], text: str, *, shared: bool) -> list[str]:
    """Return notes on secrets in the file. `text` is the complete file with the entry. `shared` is set if the file
    belongs to a project."""
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
    """Return the names of the secrets that an entry contains in plain text."""
    return _plain(_texts(entry or {}))


def backup_notes(client: Client, text: str, name: str) -> list[str]:
    """Return notes on secrets in the backup, which stays next to the file. `text` is the content of the backup."""
    there = client.entry_in(text, name) or {}
    plain = secrets_in(there)
    return [IN_A_COPY.format(names=", ".join(plain))] if plain else []


def _texts(entry: dict[str, Any]) -> dict[str, str]:
    """Return the variables of an entry whose values are strings. Other types are possible, because a person may have
    edited the file."""
    env = entry.get("env")
    return {name: value for name, value in env.items() if isinstance(value, str)} if isinstance(env, dict) else {}


def _plain(env: dict[str, str]) -> list[str]:
    return [name for name, value in env.items() if name in secret_names() and not _LEFT_OPEN.fullmatch(value)]
