"""Plan the change of a client's configuration for install and uninstall, without writing it.

An entry is replaced or removed only if it starts Ibid. The change is shown to a person who may pass it on, so it
contains only our own entry before and after, without possible secrets.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PureWindowsPath
from typing import Any, Literal

from server.clients.change import ConfigFile, Refused
from server.clients.entry import secret_names, with_what_was_there
from server.clients.json_entries import Broken, NotEditable
from server.clients.known import Client
from server.clients.launch import DISTRIBUTION, WITHOUT_SCRIPT
from server.settings.model import variables

_PYTHON = re.compile(r"(python|pypy)[\d.]*w?(\.exe)?|py(\.exe)?")
_RUNNER = re.compile(r"(uvx|uv|pipx)(\.exe)?")
_OUR_PACKAGE = re.compile(re.escape(DISTRIBUTION).replace("\\-", "[-_.]") + r"(\[[^\]]*\])?\s*([=<>!~@].*)?")


def is_ours(entry: Any) -> bool:
    """Return whether the entry starts Ibid, judging by its program. Its other words prove nothing: `mkdocs serve` is a
    server too."""
    if not isinstance(entry, dict) or "url" in entry or not isinstance(entry.get("command"), str):
        return False
    args = entry.get("args")
    words = [one for one in args if isinstance(one, str)] if isinstance(args, list) else []
    program = _program(entry["command"])
    if _PYTHON.fullmatch(program):
        return ("-c", WITHOUT_SCRIPT) in _pairs(words) or _is_ibid(_first(words))
    if _RUNNER.fullmatch(program):
        return _runs_ours(words)
    return _is_ibid(entry["command"])


def is_our_package(word: str) -> bool:
    """Return whether a requirement is our package, with or without extras and a version."""
    return bool(_OUR_PACKAGE.fullmatch(word.strip().lower()))


def _runs_ours(words: list[str]) -> bool:
    pairs = {
        *_pairs(words),
        *(tuple(one.split("=", 1)) for one in words if one.startswith("--") and "=" in one),
    }
    by_option = any(before in ("--from", "--spec") and is_our_package(word) for before, word in pairs)
    return (
        by_option
        or ("ibid", "serve") in pairs  # run from a folder or repository, whose address may not contain the package name
        or is_our_package(_first([one for one in words if one not in ("run", "tool")]))
    )


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return list(pairwise(words))


def _first(words: list[str]) -> str:
    return next((one for one in words if not one.startswith("-")), "")


def _is_ibid(word: str) -> bool:
    return _program(word) in ("ibid", "ibid.exe")


def _program(command: str) -> str:
    """Return the program's file name. Also handle Windows paths, because the configuration may have been written on
    Windows."""
    return PureWindowsPath(command).name.lower()


class NotPlain(Refused):
    """The file is not plain JSON or TOML, or has an unknown structure, and will not be edited."""


Action = Literal["added", "changed", "unchanged", "removed", "absent"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned change. `text` is the complete new file. `entry` is the new entry. `first` is set if no entry in the
    old file starts Ibid."""

    action: Action
    text: str
    entry: dict[str, Any] | None
    first: bool = False

    @property
    def writes(self) -> bool:
        """Return whether the file would change."""
        return self.action in ("added", "changed", "removed")


def installed(config: ConfigFile, client: Client, name: str, entry: dict[str, Any], taken_out: Collection[str]) -> Plan:
    """Plan to add or change the entry. Raise NotPlain, with the text to paste instead, if the file cannot be edited.
    Raise Refused if another server has the name."""
    try:
        there = client.entry_in(config.text, name)
        if there is not None and not is_ours(there):
            raise Refused(
                f"{config.file} has another server called {name!r}, which was left unchanged. "
                "--name gives this one another name."
            )
        wanted = with_what_was_there(there or {}, entry, taken_out)
        if there == wanted:
            return Plan("unchanged", config.text, wanted)
        text = client.with_entry(config.text, name, wanted)
        others = client.entries_in(config.text)
    except (Broken, NotEditable) as error:
        raise _refused(config.file, error, _pasted(client, name, entry)) from error
    first = not any(map(is_ours, others.values()))
    return Plan("added" if there is None else "changed", text, wanted, first)


def uninstalled(config: ConfigFile, client: Client, name: str) -> Plan:
    """Plan to remove the entry. Raise NotPlain if the file cannot be edited, and Refused if the entry is another
    server's."""
    try:
        there = client.entry_in(config.text, name)
        if there is None:
            return Plan("absent", config.text, None)
        if not is_ours(there):
            raise Refused(
                f"{name!r} in {config.file} is another server, which was left unchanged. "
                "If Ibid has another name there, pass it with --name."
            )
        return Plan("removed", client.without_entry(config.text, name), None)
    except (Broken, NotEditable) as error:
        raise _refused(config.file, error, f"Remove {name!r} from {client.root!r} there by hand.") from error


def _refused(file: Path, error: ValueError, instead: str) -> NotPlain:
    text = f"{file} cannot be edited: {error}. It was left unchanged."
    return NotPlain(text, hints=tuple(instead.split("\n")))


def _pasted(client: Client, name: str, entry: dict[str, Any]) -> str:
    secrets = secret_names()
    env = {key: value for key, value in entry["env"].items() if key not in secrets}
    text = client.pasted(name, entry | {"env": env})
    return f"Add this by hand under {client.root!r}:\n{text}"


HIDDEN = "********"
_WORDS = ("serve", "run", "tool", "ibid", WITHOUT_SCRIPT)
_OPTION = re.compile(r"-[A-Za-z]|--[a-z][a-z-]*")
_PLACED = ("--from", "--spec", "--directory", "--project")
"""Options that precede an address. The address may contain a password."""
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_QUERY = re.compile(r"(?<=\?)\S+")


def difference(file: Path, client: Client, name: str, before: str, after: str) -> str:
    """Return the difference between our entry in the old file and in the new file, as lines with + and -. It shows
    nothing else from the file, which contains other programs' keys and may be a single line."""
    open_names = frozenset(variables()) - secret_names()
    old, new = (_masked_entry(text, client, name, open_names) for text in (before, after))
    if old == new:
        return "(a value that is not shown changes)"
    lines = difflib.unified_diff(old, new, str(file), str(file), n=len(old) + len(new), lineterm="")
    return "\n".join(one for one in lines if not one.startswith("@@"))


def _masked_entry(text: str, client: Client, name: str, open_names: Collection[str]) -> list[str]:
    entry = client.entry_in(text, name)
    if entry is None:
        return []
    masked = {key: _value(key, value, open_names) for key, value in entry.items()}
    return json.dumps({name: masked}, indent=2, ensure_ascii=False).splitlines()[1:-1]


def _value(key: str, value: Any, open_names: Collection[str]) -> Any:
    if isinstance(value, bool) or (key in ("command", "type", "source") and isinstance(value, str)):
        return value
    if key == "env" and isinstance(value, dict):
        return {one: _address(said) if one in open_names else HIDDEN for one, said in value.items()}
    if key == "args" and isinstance(value, list):
        return [_word(before, word) for before, word in zip(["", *value], value, strict=False)]
    return HIDDEN


def _word(before: Any, word: Any) -> str:
    """Return a word of the start command, masked unless it is known not to be a secret."""
    if not isinstance(word, str):
        return HIDDEN
    if word in _WORDS or _OPTION.fullmatch(word) or is_our_package(word) or before in _PLACED:
        return _address(word)
    return HIDDEN


def _address(value: Any) -> str:
    """Return the address without the user, the password and the query."""
    if not isinstance(value, str):
        return HIDDEN
    return _QUERY.sub(HIDDEN, _USER.sub(f"{HIDDEN}@", value)) if "://" in value else value
