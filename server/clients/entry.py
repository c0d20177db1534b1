"""What an entry tells Ibid: the settings in force, as a client hands them on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from corpus.errors import NotConfigured
from server.settings.model import Settings, check_variable, fields, load_settings

ONLY_HTTP = ("RAG_HTTP_", "RAG_AUTH_", "RAG_API_KEYS", "RAG_CALLER_")
"""Beginnings of settings that say nothing to a server which one client starts for itself."""
DATA_DIR = "RAG_DATA_DIR"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was asked for by name: `values` to set, `taken_out` to leave unset, `passed_on` from the environment."""

    values: Mapping[str, str]
    taken_out: frozenset[str] = frozenset()
    passed_on: frozenset[str] = frozenset()

    @property
    def named(self) -> frozenset[str]:
        return frozenset(self.values) | self.passed_on


@dataclass(frozen=True, slots=True)
class Environment:
    """`left_out` are the names of secrets that were not asked for by name."""

    values: dict[str, str]
    left_out: tuple[str, ...]


def wishes(words: Iterable[str]) -> Wishes:
    """From `NAME=value`, `NAME=` and `NAME`. Raises NotConfigured for what is no setting."""
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
    """Settings that are set, with whole paths. `shared` takes in only what was asked for by name: the file of a
    project goes to others. Raises NotConfigured where they are not sound together."""
    settings = load_settings(changed=wanted.values)
    values, left_out = {}, []
    explicit = settings.given
    if missing := sorted(wanted.passed_on - set(explicit)):
        raise NotConfigured(f"{missing[0]} is not set, so there is no value to pass on.")
    for name in explicit:
        by_name = name in wanted.named
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
    """The names of the settings that hold secrets."""
    return frozenset(
        str(field.validation_alias) for field in fields().values() if "SecretStr" in str(field.annotation)
    )


def with_what_was_there(
    there: Mapping[str, Any], entry: dict[str, Any], taken_out: Collection[str]
) -> dict[str, Any]:
    """The entry, and what a person had written beside it: other keys, other settings."""
    before = there.get("env")
    env = {**(before if isinstance(before, dict) else {}), **entry["env"]}
    return {**there, **entry, "env": {name: value for name, value in env.items() if name not in taken_out}}


def _text(settings: Settings, name: str, value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, Path):
        return str(value.expanduser().absolute())
    return settings.masked()[name]
