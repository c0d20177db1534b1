"""One index: its definition, its documents, and the searchable ones among them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from tests.doubles.azure_search.definition import read_definition
from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.snapshot import Snapshot
from tests.doubles.azure_search.values import checked, too_large, unset

_ACTIONS = ("upload", "merge", "mergeOrUpload", "delete")
Row = dict[str, Any]


class Index:
    """An index. `delay` is the number of seconds between the answer to a batch and the first search that finds its
    documents."""

    def __init__(self, raw: dict[str, Any], delay: float) -> None:
        self.delay = delay
        self.stored: dict[str, Row] = {}
        self._coming: deque[tuple[float, str, Row | None]] = deque()
        self._found: dict[str, Row] = {}
        self._snapshot: Snapshot | None = None
        self.redefine(raw)

    def redefine(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.definition = read_definition(raw)
        for rows in (self.stored, self._found):
            rows.update({key: self._whole(row) for key, row in rows.items()})
        self._coming = deque((due, key, row and self._whole(row)) for due, key, row in self._coming)
        self._snapshot = None

    def snapshot(self) -> Snapshot:
        """Searchable state at this moment."""
        self._catch_up()
        if self._snapshot is None:
            self._snapshot = Snapshot(self.definition, self._found)
        return self._snapshot

    def apply(self, actions: list[Mapping[str, Any]], *, at_once: bool = False) -> list[dict[str, Any]]:
        """Return the answer for each action. If one of them cannot be read, none is applied.

        With `at_once`, everything accepted before becomes searchable immediately.
        """
        readable = [self._read(action, at) for at, action in enumerate(actions)]
        due = time.monotonic() + self.delay
        answers = [self._apply(kind, values, due) for kind, values in readable]
        if at_once:
            self._catch_up(due)
        return answers

    def _read(self, action: Any, at: int) -> tuple[str, Row]:
        if not isinstance(action, Mapping):
            raise Refused(400, f"The request is invalid. Details: actions : {at}: not an object.")
        kind = action.get("@search.action", "upload")
        if kind not in _ACTIONS:
            raise Refused(400, f"The request is invalid. Details: actions : {at}: '{kind}' is no action.")
        return kind, checked(action, self.definition, at)

    def _apply(self, kind: str, values: Row, due: float) -> dict[str, Any]:
        key = values[self.definition.key]
        if kind == "delete":
            self._put(due, key, None)
            return _answer(key, 200)
        old = self.stored.get(key)
        if kind == "merge" and old is None:
            return _answer(key, 404, "Document not found.")
        if name := too_large(values, self.definition):
            reason = f"Field '{name}' contains a term that is too large to process. The max length is 32766 bytes."
            return _answer(key, 400, reason)
        merged = (old or {}) | values if kind != "upload" else values
        self._put(due, key, self._whole(merged))
        return _answer(key, 201 if old is None else 200)

    def _whole(self, values: Row) -> Row:
        """Return a row with all fields of the index, in order."""
        return {name: values.get(name, unset(field)) for name, field in self.definition.fields.items()}

    def _put(self, due: float, key: str, row: Row | None) -> None:
        _change(self.stored, key, row)
        self._coming.append((due, key, row))

    def _catch_up(self, until: float | None = None) -> None:
        now = time.monotonic() if until is None else until
        while self._coming and self._coming[0][0] <= now:
            _, key, row = self._coming.popleft()
            _change(self._found, key, row)
            self._snapshot = None

    def found(self, key: str) -> Row | None:
        self._catch_up()
        return self._found.get(key)

    def count(self) -> int:
        self._catch_up()
        return len(self._found)


def _change(rows: dict[str, Row], key: str, row: Row | None) -> None:
    rows.pop(key, None) if row is None else rows.update({key: row})


def _answer(key: str, status: int, message: str | None = None) -> dict[str, Any]:
    return {"key": key, "status": status < 400, "errorMessage": message, "statusCode": status}
