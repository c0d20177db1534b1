"""The access rule of `corpus.access` as an OData filter for Azure AI Search."""

from __future__ import annotations

from corpus.access import Caller
from corpus.odata import holds_one_of


def build_security_filter(
    caller: Caller, *, prefixed: bool, field: str = "access_control_list"
) -> str | None:
    """The rule as an OData filter for Azure AI Search, to be joined by `and` with other filters.

    None, meaning no filter, only for a caller whose access rules are off (`unfiltered`). A caller without an identity
    gets a filter for public rows. Names are quoted whole, so none can end the filter early.
    """
    if caller.unfiltered:
        return None
    return holds_one_of(field, caller.principals(prefixed=prefixed))
