"""Who may read what: the one rule, as a predicate, as an SQL clause and as a filter of Azure AI Search.

A document, and each of its blocks, is readable when its access list meets the caller's principals or
holds the public principal. An empty list is readable by nobody.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from corpus.odata import holds_one_of
from corpus.text import is_text

PUBLIC = "*"
KINDS = ("user", "department", "org", "group")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as the transport knows them. `unfiltered` lifts every access rule (tests of an index)."""

    user_id: str | None = None
    department: str | None = None
    org_id: str | None = None
    groups: frozenset[str] = frozenset()
    unfiltered: bool = False
    token: str | None = field(default=None, repr=False, compare=False)
    """What they signed in with over HTTP, for an index that knows permissions itself. It opens nothing here."""

    @property
    def anonymous(self) -> bool:
        return not (self.user_id or self.department or self.org_id or self.groups or self.unfiltered)

    def principals(self, *, prefixed: bool) -> frozenset[str]:
        """Every name an access list may hold for this caller, the public one included.

        With `prefixed`, a user, a department, an organisation and a group of one name are told apart. A name
        that no list can hold opens nothing.
        """
        return _principals(self, prefixed)


@lru_cache(maxsize=1024)
def _principals(caller: Caller, prefixed: bool) -> frozenset[str]:
    """Kept, since each row of an answer is compared with them. A caller is a value: whose rights changed is another."""
    named = [("user", caller.user_id), ("department", caller.department), ("org", caller.org_id)]
    named += [("group", group) for group in caller.groups]
    names = (f"{kind}:{name}" if prefixed else name for kind, name in named if name)
    return frozenset(name for name in names if is_holdable(name)) | {PUBLIC}


ANONYMOUS = Caller()


def is_holdable(principal: str) -> bool:
    """Whether an access list can hold this name. SQLite ends a JSON string at a NUL, so that `ann\\0x` would be
    `ann`, and takes no half of a surrogate pair."""
    return "\0" not in principal and is_text(principal)


def may_read(access_control_list: Iterable[str], caller: Caller, *, prefixed: bool) -> bool:
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


def build_security_filter(
    caller: Caller, *, prefixed: bool, field: str = "access_control_list"
) -> str | None:
    """The rule as an OData filter for Azure AI Search, to be joined by `and` to whatever else a request filters.

    None, which is no filter at all, only for a caller whose access rules are off (`unfiltered`). A caller without any
    identity gets a filter for public rows; a name that could be torn apart or end the text early goes in whole.
    """
    if caller.unfiltered:
        return None
    return holds_one_of(field, caller.principals(prefixed=prefixed))
