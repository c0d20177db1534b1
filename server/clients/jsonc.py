"""Reads JSON, with comments where a client allows them, and says where in the text everything stands.

Editing by places leaves the rest of a file as it was, letter for letter: its order, its indentation, its comments.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

DEEPEST = 100
_WHITE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"[^\s,:\[\]{}\"/]+")


class Broken(ValueError):
    """`line` and `column` from 1."""

    def __init__(self, text: str, at: int, why: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(f"line {self.line}, column {self.column}: {why}")


@dataclass(slots=True)
class Value:
    """`start` and `end` are its first letter and the one after its last. `data` is what it says; `members` are those
    of an object, in their order."""

    start: int
    end: int
    data: Any
    members: list[Member] = field(default_factory=list)

    def member(self, key: str) -> Member | None:
        return next((one for one in self.members if one.key == key), None)


@dataclass(slots=True)
class Member:
    """`comma` is the place of the comma after it, None where there is none."""

    key: str
    start: int
    value: Value
    comma: int | None = None


def read(text: str, *, comments: bool) -> Value:
    """Raises Broken. `comments` allows comments and a comma after the last member."""
    reader = _Reader(text, comments)
    value = reader.value(reader.skip(0), 0)
    end = reader.skip(value.end)
    if end < len(text):
        raise Broken(text, end, "something stands after the end")
    return value


def has_comment(text: str, start: int, end: int) -> bool:
    """Whether one begins between two places of a text that was read with comments."""
    at = start
    while at < end:
        if string := _STRING.match(text, at):
            at = string.end()
        elif _COMMENT.match(text, at):
            return True
        else:
            at += 1
    return False


class _Reader:
    def __init__(self, text: str, comments: bool) -> None:
        self.text, self.comments = text, comments

    def skip(self, at: int) -> int:
        """The next place that is neither white space nor comment."""
        while True:
            at = _WHITE.match(self.text, at).end()  # type: ignore[union-attr]
            if not self.text.startswith("/", at):
                return at
            if not self.comments:
                raise Broken(self.text, at, "a comment, which this client does not read")
            comment = _COMMENT.match(self.text, at)
            if comment is None:
                raise Broken(self.text, at, "a comment without an end")
            at = comment.end()

    def value(self, at: int, depth: int) -> Value:
        if depth > DEEPEST:
            raise Broken(self.text, at, f"more than {DEEPEST} values within each other")
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        if first == '"':
            return self._string(at)
        return self._word(at)

    def _object(self, start: int, depth: int) -> Value:
        found = Value(start, start, {})
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "}":
            key = self._string(at)
            if key.data in found.data:
                raise Broken(self.text, at, f"{key.data!r} stands there twice")
            at = self.skip(key.end)
            if self.text[at : at + 1] != ":":
                raise Broken(self.text, at, "a colon is missing")
            value = self.value(self.skip(at + 1), depth + 1)
            member = Member(key.data, key.start, value)
            found.members.append(member)
            found.data[key.data] = value.data
            at, member.comma = self._after(value.end, "}")
        found.end = at + 1
        return found

    def _array(self, start: int, depth: int) -> Value:
        data = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]":
            value = self.value(at, depth + 1)
            data.append(value.data)
            at, _ = self._after(value.end, "]")
        return Value(start, at + 1, data)

    def _after(self, end: int, closing: str) -> tuple[int, int | None]:
        """Where the next member begins, or the closing sign stands; and the comma between."""
        at = self.skip(end)
        if self.text[at : at + 1] == closing:
            return at, None
        if self.text[at : at + 1] != ",":
            raise Broken(self.text, at, f"a comma or {closing} is missing")
        following = self.skip(at + 1)
        if self.text[following : following + 1] == closing and not self.comments:
            raise Broken(self.text, at, f"a comma before {closing}")
        return following, at

    def _string(self, at: int) -> Value:
        found = _STRING.match(self.text, at)
        if found is None:
            raise Broken(self.text, at, "a text in double quotes is missing")
        return Value(at, found.end(), self._data(at, found[0]))

    def _word(self, at: int) -> Value:
        found = _WORD.match(self.text, at)
        if found is None:
            raise Broken(self.text, at, "a value is missing")
        return Value(at, found.end(), self._data(at, found[0]))

    def _data(self, at: int, text: str) -> Any:
        try:
            return json.loads(text, parse_constant=_no_constant)
        except ValueError:
            raise Broken(self.text, at, "no value of JSON") from None  # not quoted: it may be a key


def _no_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and its like, which Python would take
