"""Puts an entry into the text of a configuration, or takes it out; all else stays, letter for letter."""

from __future__ import annotations

import json
import re
from typing import Any

from server.clients.jsonc import Broken, Member, Value, has_comment, read

UNIT = "  "
_BREAK = re.compile(r"\r?\n")


class NotEditable(ValueError):
    """The text is sound, and yet an entry cannot be put there without harm. Says why."""


def entry_of(text: str, root: str, name: str, *, comments: bool) -> Any:
    """What stands there under that name; None where nothing does. Raises Broken and NotEditable."""
    if not text.strip():
        return None
    entries = _entries(read(text, comments=comments), root)
    member = entries.member(name) if entries else None
    return member.value.data if member else None


def entries_of(text: str, root: str, *, comments: bool) -> dict[str, Any]:
    """All that stand there. Raises Broken and NotEditable."""
    entries = _entries(read(text, comments=comments), root) if text.strip() else None
    found: dict[str, Any] = entries.data if entries else {}
    return found


def with_entry(text: str, root: str, name: str, entry: dict[str, Any], *, comments: bool) -> str:
    """The text with the entry, in the place of one of that name, or as the last. Raises Broken and NotEditable."""
    edited = _with(text, root, name, entry, comments=comments)
    before = read(text, comments=comments).data if text.strip() else {}
    wanted = before | {root: before.get(root, {}) | {name: entry}}
    return _checked(edited, wanted, comments=comments)


def without_entry(text: str, root: str, name: str, *, comments: bool) -> str:
    """The text without the entry of that name; the same where there is none. Raises Broken and NotEditable."""
    edited = _without(text, root, name, comments=comments)
    if edited == text:
        return text
    before = read(text, comments=comments).data
    left = {key: value for key, value in before[root].items() if key != name}
    return _checked(edited, before | {root: left}, comments=comments)


def _checked(edited: str, wanted: dict[str, Any], *, comments: bool) -> str:
    """The text, if it says what it should: text with comments in odd places may not."""
    try:
        if read(edited, comments=comments).data == wanted:
            return edited
    except Broken:
        pass
    raise NotEditable("its comments stand where an edit would change more than the entry")


def _with(text: str, root: str, name: str, entry: dict[str, Any], *, comments: bool) -> str:
    if not text.strip():
        return json.dumps({root: {name: entry}}, indent=UNIT, ensure_ascii=False) + "\n"
    whole = read(text, comments=comments)
    entries = _entries(whole, root)
    if entries is None:
        return _added(text, whole, root, {name: entry})
    there = entries.member(name)
    if there is None:
        return _added(text, entries, name, entry)
    if has_comment(text, there.value.start, there.value.end):
        raise NotEditable(f"the entry {name!r} there has comments in it, which would be lost")
    written = _written(text, entry, _indent_at(text, there.start))
    return text[: there.value.start] + written + text[there.value.end :]


def _without(text: str, root: str, name: str, *, comments: bool) -> str:
    entries = _entries(read(text, comments=comments), root) if text.strip() else None
    there = entries.member(name) if entries else None
    if entries is None or there is None:
        return text
    if has_comment(text, there.value.start, there.value.end):
        raise NotEditable(f"the entry {name!r} there has comments in it, which would be lost")
    return _removed(text, entries, there)


def _entries(whole: Value, root: str) -> Value | None:
    if not isinstance(whole.data, dict):
        raise NotEditable("it holds no object in braces")
    member = whole.member(root)
    if member is None:
        return None
    if not isinstance(member.value.data, dict):
        raise NotEditable(f"{root!r} there is no object in braces")
    return member.value


def _added(text: str, place: Value, key: str, value: dict[str, Any]) -> str:
    """As the last member of the object."""
    last = place.members[-1] if place.members else None
    begins = last.value.end if last else place.start + 1
    kept = text[begins : place.end - 1]  # a comma at most, comments and white space
    comma = "," if last and last.comma is None else ""
    trailing = "," if last and last.comma is not None else ""  # where the last has one, ours gets one
    if last and not _BREAK.search(text[place.start : place.end]):
        written = json.dumps({key: value}, ensure_ascii=False)[1:-1]
        return (
            f"{text[:begins]}{comma}{kept.rstrip()} {written}{trailing}{text[begins + len(kept.rstrip()) :]}"
        )
    outer = _indent_at(text, place.start)
    inner = _indent_at(text, last.start) if last else outer + _unit(text)
    end = _newline(text)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_written(text, value, inner)}"
    return f"{text[:begins]}{comma}{kept.rstrip()}{end}{inner}{member}{trailing}{end}{outer}{text[place.end - 1 :]}"


def _removed(text: str, place: Value, there: Member) -> str:
    number = place.members.index(there)
    begins = len(text[: there.start].rstrip(" \t\r\n"))
    if there.comma is not None:
        return text[:begins] + text[there.value.end : there.comma] + text[there.comma + 1 :]
    before = place.members[number - 1].comma if number else None
    rest = text[there.value.end :]
    if before is None:
        bare = (
            not text[place.start + 1 : begins].strip() and not text[there.value.end : place.end - 1].strip()
        )
        return text[: place.start + 1] + text[place.end - 1 :] if bare else text[:begins] + rest
    return text[:before] + text[before + 1 : begins] + rest


def _written(text: str, value: dict[str, Any], indent: str) -> str:
    """The value in the manner of the text, its first line without indentation."""
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _unit(text: str) -> str:
    """One step of indentation, as the first line that has any."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else UNIT


def _indent_at(text: str, at: int) -> str:
    """The white space at the beginning of the line of that place."""
    begins = text.rfind("\n", 0, at) + 1
    return re.compile(r"[ \t]*").match(text, begins)[0]  # type: ignore[index]


def _newline(text: str) -> str:
    found = _BREAK.search(text)
    return found[0] if found else "\n"
