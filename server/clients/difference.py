"""A change as a person may see it and pass it on: our own entry before and after, without what may be secret."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from server.clients.entry import secret_names
from server.clients.known import Client
from server.clients.launch import WITHOUT_SCRIPT
from server.clients.ours import is_our_package
from server.settings.model import variables

HIDDEN = "********"
_WORDS = ("serve", "run", "tool", "ibid", WITHOUT_SCRIPT)
_OPTION = re.compile(r"-[A-Za-z]|--[a-z][a-z-]*")
_PLACED = ("--from", "--spec", "--directory", "--project")
"""Options before a place, whose address may still hold a password."""
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_QUERY = re.compile(r"(?<=\?)\S+")


def difference(file: Path, client: Client, name: str, before: str, after: str) -> str:
    """Between two texts of the whole file, as lines with + and -. Nothing else that stands in it is shown: it holds
    the keys of others, and all of it may be one line."""
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
    """Of what is started, only what is known to be no secret."""
    if not isinstance(word, str):
        return HIDDEN
    if word in _WORDS or _OPTION.fullmatch(word) or is_our_package(word) or before in _PLACED:
        return _address(word)
    return HIDDEN


def _address(value: Any) -> str:
    """Without the user, the password and the query that an address can hold."""
    if not isinstance(value, str):
        return HIDDEN
    return _QUERY.sub(HIDDEN, _USER.sub(f"{HIDDEN}@", value)) if "://" in value else value
