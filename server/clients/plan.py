"""Plan the change of a client's configuration for install and uninstall, without writing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from server.clients.change import ConfigFile, Refused
from server.clients.entry import secret_names, with_what_was_there
from server.clients.json_entries import Broken, NotEditable
from server.clients.known import Client
from server.clients.ours import is_ours


class NotPlain(Refused):
    """The file is not plain JSON or TOML, or has an unknown structure, and is not edited."""


Action = Literal["added", "changed", "unchanged", "removed", "absent"]


@dataclass(frozen=True, slots=True)
class Plan:
    """`text` is the whole new file; `entry` is the new entry; `first` says that no other entry starts Ibid."""

    action: Action
    text: str
    entry: dict[str, Any] | None
    first: bool = False

    @property
    def writes(self) -> bool:
        """Whether the file would change."""
        return self.action in ("added", "changed", "removed")


def installed(config: ConfigFile, client: Client, name: str, entry: dict[str, Any], taken_out: Collection[str]) -> Plan:
    """Plan to add or change the entry. Raises NotPlain, which says what to paste instead, and Refused if another server
    has the name."""
    try:
        there = client.entry_in(config.text, name)
        if there is not None and not is_ours(there):
            raise Refused(
                f"{config.file} has another server called {name!r}, which was left as it is. "
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
    """Plan to remove the entry. Raises Refused if it is another server, and NotPlain."""
    try:
        there = client.entry_in(config.text, name)
        if there is None:
            return Plan("absent", config.text, None)
        if not is_ours(there):
            raise Refused(
                f"{name!r} in {config.file} is another server, which was left as it is. "
                "If Ibid has another name there, pass it with --name."
            )
        return Plan("removed", client.without_entry(config.text, name), None)
    except (Broken, NotEditable) as error:
        raise _refused(config.file, error, f"Remove {name!r} from {client.root!r} there by hand.") from error


def _refused(file: Path, error: ValueError, instead: str) -> NotPlain:
    text = f"{file} cannot be edited: {error}. It was left as it is."
    return NotPlain(text, hints=tuple(instead.split("\n")))


def _pasted(client: Client, name: str, entry: dict[str, Any]) -> str:
    secrets = secret_names()
    env = {key: value for key, value in entry["env"].items() if key not in secrets}
    text = client.pasted(name, entry | {"env": env})
    return f"Add this by hand under {client.root!r}:\n{text}"
