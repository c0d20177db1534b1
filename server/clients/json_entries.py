"""Add an entry to a configuration in plain JSON, or remove it.

The file keeps its order, indentation and line ends. Only plain JSON is edited: a file with comments, for example, would
lose them.
"""

from __future__ import annotations

import json
import re
from typing import Any

UNIT = "  "
_INDENT = re.compile(r"\n([ \t]+)\S")


class Broken(ValueError):
    """The text cannot be parsed. `line` and `column` count from 1. The message quotes nothing from the text, which may
    contain keys."""

    def __init__(self, line: int, column: int, why: str) -> None:
        super().__init__(f"line {line}, column {column}: {why}")


class NotEditable(ValueError):
    """The text is valid, but cannot be edited without harm. The message states the reason."""


def load(text: str) -> dict[str, Any]:
    """Return the object in a configuration, or an empty object for an empty file. Raise Broken or NotEditable."""
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise Broken(error.lineno, error.colno, error.msg) from None
    except RecursionError:
        raise NotEditable("its values are nested too deeply") from None
    if not isinstance(data, dict):
        raise NotEditable("it does not contain an object in braces")
    return data


def entries_of(text: str, root: str) -> dict[str, Any]:
    """Return the entries under the key `root`, by name. Raise Broken or NotEditable."""
    entries = load(text).get(root, {})
    if not isinstance(entries, dict):
        raise NotEditable(f"{root!r} is not an object in braces")
    return entries


def with_entry(text: str, root: str, name: str, entry: dict[str, Any]) -> str:
    """Return the text with the entry. It replaces an existing entry with that name, or is added at the end. Raise
    Broken or NotEditable."""
    return _dump(load(text) | {root: entries_of(text, root) | {name: entry}}, like=text)


def without_entry(text: str, root: str, name: str) -> str:
    """Return the text without the entry with that name, or unchanged if there is no such entry. Raise Broken or
    NotEditable."""
    entries = entries_of(text, root)
    if name not in entries:
        return text
    return _dump(load(text) | {root: {key: value for key, value in entries.items() if key != name}}, like=text)


def _dump(data: dict[str, Any], *, like: str) -> str:
    """Return the data as JSON, on one line or indented, in the style of `like`."""
    indent = _INDENT.search(like)
    is_line = like.strip() not in ("", "{}") and "\n" not in like.strip()
    unit = None if is_line else indent[1] if indent else UNIT
    text = json.dumps(data, indent=unit, ensure_ascii=False)
    if not like.strip() or like.endswith("\n"):
        text += "\n"
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise NotEditable("an object contains a name twice")
    return data


def _no_constant(name: str) -> Any:
    raise NotEditable(f"{name} is not a JSON value")  # Python would accept it
