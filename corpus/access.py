"""The access rule, as a predicate and as an SQL clause. For Azure AI Search, it is converted to a filter.

A caller may read a document and all of its blocks if its access list contains one of the caller's principals or the
public principal. Nobody may read a document with an empty access list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from corpus.text.normalization import is_text

PUBLIC = "*"
KINDS = ("user", "department", "org", "group")


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller, as identified by the transport. If `unfiltered`, the access rule does not apply; this is for the
    owner of an index and for tests."""

    user_id: str | None = None
    department: str | None = None
    org_id: str | None = None
    groups: frozenset[str] = frozenset()
    unfiltered: bool = False
    token: str | None = field(default=None, repr=False, compare=False)
    """The token with which the caller signed in over HTTP, for an index that checks permissions itself. The access rule
    ignores it."""

    @property
    def anonymous(self) -> bool:
        """Whether the caller has no identity at all."""
        return not (self.user_id or self.department or self.org_id or self.groups or self.unfiltered)

    def principals(self, *, prefixed: bool) -> frozenset[str]:
        """Return all names by which an access list can admit this caller, including the public principal.

        With `prefixed`, a user, a department, an organisation and a group with the same name are distinct. Names that
        an access list cannot contain are dropped.
        """
        return _principals(self, prefixed)


@lru_cache(maxsize=1024)
def _principals(caller: Caller, prefixed: bool) -> frozenset[str]:
    """Return the principals. They are cached, because each row of a result is compared with them; `Caller` is
    immutable."""
    pairs = [("user", caller.user_id), ("department", caller.department), ("org", caller.org_id)]
    pairs += [("group", group) for group in caller.groups]
    names = (f"{kind}:{name}" if prefixed else name for kind, name in pairs if name)
    return frozenset(name for name in names if is_holdable(name)) | {PUBLIC}


ANONYMOUS = Caller()


def is_holdable(principal: str) -> bool:
    """Return whether an access list can contain this name. SQLite ends a JSON string at a NUL, so `ann\\0x` would
    become `ann`, and it rejects unpaired surrogates."""
    return "\0" not in principal and is_text(principal)


def may_read(access_control_list: Iterable[str], caller: Caller, *, prefixed: bool) -> bool:
    """Return whether the caller may read an item with this access list."""
    return caller.unfiltered or not caller.principals(prefixed=prefixed).isdisjoint(access_control_list)


def readable_clause(caller: Caller, *, prefixed: bool, list_column: str) -> tuple[str, list[str]]:
    """Return the access rule as an SQL condition on a column that contains the access list as a JSON array of names
    that pass `is_holdable`.

    The result is the condition, for `... WHERE {condition}`, and the list of its parameters.
    """
    if caller.unfiltered:
        return "1", []
    condition = (
        f"EXISTS (SELECT 1 FROM json_each({list_column}) AS allowed "
        "JOIN json_each(?) AS held ON allowed.value = held.value)"
    )
    return condition, [json.dumps(sorted(caller.principals(prefixed=prefixed)))]
