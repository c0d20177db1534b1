"""Access lists as a person writes them at ingestion."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.access import KINDS, PUBLIC
from corpus.errors import InvalidRequest
from corpus.text import clean


def access_list(principals: Sequence[str], *, prefixed: bool, named: str = "--allow") -> tuple[str, ...]:
    """The list to store, sorted. Raises InvalidRequest for a principal that could match nobody.

    Where kinds are told apart, `hr` alone is refused: it would be an entry that no caller ever holds. `named` is the
    option or the setting that it comes from.
    """
    for principal in principals:
        _check(principal, prefixed, named)
    return tuple(sorted(set(principals)))


def _check(principal: str, prefixed: bool, named: str) -> None:
    if principal == PUBLIC:
        return
    if clean(principal) != principal:
        raise InvalidRequest(f"{named} {principal!a} holds characters that no name has. Name one principal.")
    kind, colon, name = principal.partition(":")
    if not principal.strip() or principal != principal.strip():
        raise InvalidRequest(f"{named} {principal!r} is empty or has blanks around it. Name one principal.")
    if prefixed and not (colon and name and kind in KINDS):
        bare = name or principal.strip(":")
        kinds = ", ".join(f"{one}:{bare}" for one in KINDS)
        raise InvalidRequest(
            f"{named} {principal!r} does not say who that is. Write one of: {kinds}; "
            f"or {PUBLIC!r} for everybody."
        )
