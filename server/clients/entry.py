"""The settings in a client's entry, which the client passes to Ibid as environment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from corpus.errors import NotConfigured
from server.settings.model import Settings, check_variable, fields, load_settings

ONLY_HTTP = ("RAG_HTTP_", "RAG_AUTH_", "RAG_API_KEYS", "RAG_CALLER_")
"""Prefixes of settings that have no effect over stdio."""
DATA_DIR = "RAG_DATA_DIR"


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options --set: `values` to set, `taken_out` to remove, `passed_on` from the environment."""

    values: Mapping[str, str]
    taken_out: frozenset[str] = frozenset()
    passed_on: frozenset[str] = frozenset()

    @property
    def explicit(self) -> frozenset[str]:
        """The names of settings to put into the entry."""
        return frozenset(self.values) | self.passed_on


@dataclass(frozen=True, slots=True)
class Environment:
    """Settings for an entry. `left_out` names the secrets that were not requested by name."""

    values: dict[str, str]
    left_out: tuple[str, ...]


def wishes(words: Iterable[str]) -> Wishes:
    """Parse `NAME=value`, `NAME=` and `NAME`. Raises NotConfigured for an unknown setting."""
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
    """The settings for an entry, with absolute paths. `shared` includes only those requested by name, since others read
    the file of a project. Raises NotConfigured if they are invalid together."""
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
    """The names of the settings that hold secrets."""
    return frozenset(str(field.validation_alias) for field in fields().values() if "SecretStr" in str(field.annotation))


def with_what_was_there(there: Mapping[str, Any], entry: dict[str, Any], taken_out: Collection[str]) -> dict[str, Any]:
    """Merge the entry with the user's own keys and settings in the old one."""
    before = there.get("env")
    env = {**(before if isinstance(before, dict) else {}), **entry["env"]}
    return {**there, **entry, "env": {name: value for name, value in env.items() if name not in taken_out}}


def _text(settings: Settings, name: str, value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, Path):
        return str(value.expanduser().absolute())
    return settings.masked()[name]
