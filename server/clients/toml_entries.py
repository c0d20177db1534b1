"""Puts an entry into a TOML configuration, or takes it out; all else stays, letter for letter."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from server.clients.json_entries import Broken, NotEditable

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def entries_of(text: str, root: str) -> dict[str, Any]:
    """All that stand there. Raises Broken and NotEditable."""
    entries = _read(text).get(root, {})
    if not isinstance(entries, dict):
        raise NotEditable(f"{root!r} there is no table")
    return entries


def with_entry(text: str, root: str, name: str, entry: dict[str, Any]) -> str:
    """The text with the entry in tables of its own at the end, in place of those of that name. Raises Broken and
    NotEditable."""
    bare = without_entry(text, root, name)
    before = bare if not bare or bare.endswith("\n") else bare + "\n"
    edited = f"{before}{chr(10) if before.strip() else ''}{_written(root, name, entry)}"
    wanted = _read(text) | {root: entries_of(text, root) | {name: entry}}
    return _checked(edited, wanted)


def without_entry(text: str, root: str, name: str) -> str:
    """The text without the tables of that name; the same where there is none. Raises Broken and NotEditable."""
    entries = entries_of(text, root)
    if name not in entries:
        return text
    headers = [header.start() for header in _HEADER.finditer(text)]
    kept = [text[: headers[0]] if headers else text]
    ends = [*headers[1:], len(text)] if headers else []
    for begins, end in zip(headers, ends, strict=True):
        part = text[begins:end]
        if not _is_of(part, root, name):
            kept.append(part)
        elif "#" in re.sub(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'', "", part):
            raise NotEditable(f"the entry {name!r} there has comments in it, which would be lost")
    left = {key: value for key, value in entries.items() if key != name}
    before = _read(text)
    wanted = before | {root: left} if left else {key: value for key, value in before.items() if key != root}
    edited = "".join(kept)
    return _checked(edited.rstrip("\n") + "\n" if edited.strip() else "", wanted, root)


def _is_of(part: str, root: str, name: str) -> bool:
    """Whether a table, with its header, is the entry or a part of it."""
    try:
        entries = tomllib.loads(part).get(root)
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(entries, dict) and set(entries) == {name}


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, 1)
        raise Broken(line, column, "no TOML") from None


def _checked(edited: str, wanted: dict[str, Any], root: str = "") -> str:
    """The text, if it says what it should: an entry may stand within a table of others."""
    try:
        parsed = tomllib.loads(edited)
    except tomllib.TOMLDecodeError:
        parsed = {}
    if {key: value for key, value in parsed.items() if key != root or value} == wanted:
        return edited
    raise NotEditable("its tables stand where an edit would change more than the entry")


def _written(root: str, name: str, entry: dict[str, Any]) -> str:
    lines = [f"[{root}.{_key(name)}]"]
    tables = {key: value for key, value in entry.items() if isinstance(value, dict)}
    lines += [f"{_key(key)} = {_value(value)}" for key, value in entry.items() if key not in tables]
    for key, table in tables.items():
        lines += ["", f"[{root}.{_key(name)}.{_key(key)}]"]
        lines += [f"{_key(part)} = {_value(value)}" for part, value in table.items()]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """Strings, numbers, booleans and lists of them as JSON has them, which TOML reads alike."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
