"""Who may read what: the one access rule, as a predicate and as an SQL clause. Azure AI Search gets it as a filter.

A document, and each of its blocks, is readable when its access list contains one of the caller's principals or the
public principal. An empty list is readable by nobody.
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
    """Who asks, as the transport knows them. `unfiltered` lifts every access rule, for the owner of an index and for
    tests."""

    user_id: str | None = None
    department: str | None = None
    org_id: str | None = None
    groups: frozenset[str] = frozenset()
    unfiltered: bool = False
    token: str | None = field(default=None, repr=False, compare=False)
    """What they signed in with over HTTP, for an index that knows permissions itself. It opens nothing here."""

    @property
    def anonymous(self) -> bool:
        """Whether nothing is known about the caller."""
        return not (self.user_id or self.department or self.org_id or self.groups or self.unfiltered)

    def principals(self, *, prefixed: bool) -> frozenset[str]:
        """Every name an access list may hold for this caller, including the public one.

        With `prefixed`, a user, a department, an organisation and a group of one name are distinct. Names that no list
        can hold are dropped.
        """
        return _principals(self, prefixed)


@lru_cache(maxsize=1024)
def _principals(caller: Caller, prefixed: bool) -> frozenset[str]:
    """Cached, since each row of an answer is compared with them. A caller whose rights changed is another value."""
    pairs = [("user", caller.user_id), ("department", caller.department), ("org", caller.org_id)]
    pairs += [("group", group) for group in caller.groups]
    names = (f"{kind}:{name}" if prefixed else name for kind, name in pairs if name)
    return frozenset(name for name in names if is_holdable(name)) | {PUBLIC}


ANONYMOUS = Caller()


def is_holdable(principal: str) -> bool:
    """Whether an access list can hold this name. SQLite ends a JSON string at a NUL, so `ann\\0x` would be `ann`, and
    rejects half of a surrogate pair."""
    return "\0" not in principal and is_text(principal)


def may_read(access_control_list: Iterable[str], caller: Caller, *, prefixed: bool) -> bool:
    """Whether the caller may read what has this access list."""
    return caller.unfiltered or not caller.principals(prefixed=prefixed).isdisjoint(access_control_list)


def readable_clause(caller: Caller, *, prefixed: bool, list_column: str) -> tuple[str, list[str]]:
    """The rule as an SQL condition over a column that holds the access list as a JSON array of holdable strings.

    Returns the condition and its one parameter list, for `... WHERE {condition}`.
    """
    if caller.unfiltered:
        return "1", []
    condition = (
        f"EXISTS (SELECT 1 FROM json_each({list_column}) AS allowed "
        "JOIN json_each(?) AS held ON allowed.value = held.value)"
    )
    return condition, [json.dumps(sorted(caller.principals(prefixed=prefixed)))]
