"""Conditions that are allowed inside any and all over a collection of strings."""

from __future__ import annotations

from tests.doubles.azure_search.errors import bad_filter
from tests.doubles.azure_search.odata_nodes import Call, Compared, Constant, Joined, Negated, Node


def check_body(body: Node, every: bool, item_type: str) -> None:
    """Allow equalities joined by `or` in any, and inequalities joined by `and` in all. Collections of other types have
    fewer restrictions."""
    if item_type != "Edm.String":
        return
    if not (_all_denied(body) if every else _any_equal(body)):
        inside, joined = (
            ("all", "'ne' or 'not', joined by 'and'") if every else ("any", "'eq' or 'search.in', joined by 'or'")
        )
        raise bad_filter(f"Invalid lambda expression. Inside of '{inside}' over strings only {joined} can be used.")


def _any_equal(node: Node) -> bool:
    match node:
        case Joined("or", parts):
            return all(_any_equal(part) for part in parts)
        case Compared(left, "eq", right):
            return Constant("word", "null") not in (left, right)
        case Call():
            return True
    return False


def _all_denied(node: Node) -> bool:
    match node:
        case Joined("and", parts):
            return all(_all_denied(part) for part in parts)
        case Compared(left, "ne", right):
            return Constant("word", "null") not in (left, right)
        case Negated(inner):
            return _any_equal(inner)
    return False
