"""What installing into a client, and taking out again, would change; nothing is written here."""

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
    """The file is no plain JSON or TOML, or has another shape, so it is not edited."""


Action = Literal["added", "changed", "unchanged", "removed", "absent"]


@dataclass(frozen=True, slots=True)
class Plan:
    """`text` is the whole file as it would be; `entry` what would stand there under the name; `first` whether nothing
    of the file starts Ibid yet."""

    action: Action
    text: str
    entry: dict[str, Any] | None
    first: bool = False

    @property
    def writes(self) -> bool:
        """Whether the file would change."""
        return self.action in ("added", "changed", "removed")


def installed(
    found: ConfigFile, client: Client, name: str, entry: dict[str, Any], taken_out: Collection[str]
) -> Plan:
    """Raises NotPlain, which says what to paste instead, and Refused where another server has the name."""
    try:
        there = client.entry_in(found.text, name)
        if there is not None and not is_ours(there):
            raise Refused(
                f"{found.file} has another server called {name!r}, which was left as it is. "
                "--name gives this one another name."
            )
        wanted = with_what_was_there(there or {}, entry, taken_out)
        if there == wanted:
            return Plan("unchanged", found.text, wanted)
        text = client.with_entry(found.text, name, wanted)
        others = client.entries_in(found.text)
    except (Broken, NotEditable) as error:
        raise _refused(found.file, error, _pasted(client, name, entry)) from error
    first = not any(is_ours(one) for one in others.values())
    return Plan("added" if there is None else "changed", text, wanted, first)


def uninstalled(found: ConfigFile, client: Client, name: str) -> Plan:
    """Raises Refused."""
    try:
        there = client.entry_in(found.text, name)
        if there is None:
            return Plan("absent", found.text, None)
        if not is_ours(there):
            raise Refused(
                f"{name!r} in {found.file} is another server, which was left as it is. "
                "If Ibid has another name there, --name says which."
            )
        return Plan("removed", client.without_entry(found.text, name), None)
    except (Broken, NotEditable) as error:
        raise _refused(found.file, error, f"Take {name!r} out of {client.root!r} there by hand.") from error


def _refused(file: Path, error: ValueError, instead: str) -> NotPlain:
    text = f"{file} cannot be edited: {error}. It was left as it is."
    return NotPlain(text, hints=tuple(instead.split("\n")))


def _pasted(client: Client, name: str, entry: dict[str, Any]) -> str:
    secrets = secret_names()
    env = {key: value for key, value in entry["env"].items() if key not in secrets}
    text = client.pasted(name, entry | {"env": env})
    return f"Put this by hand under {client.root!r}:\n{text}"
