"""From the claims of a verified token to the caller: exactly the claims that the settings name, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from corpus.access import KINDS, PUBLIC, Caller, is_holdable
from corpus.text.normalization import clean
from server.identity.verified_caller import Unknown

MAX_NAME = 256
"""Letters of one name."""
_KINDS = tuple(f"{kind}:" for kind in KINDS)


def fault(name: object) -> str:
    """Why that value cannot be the name of a user, a group, a department or an organisation; empty where it can.

    A name that begins like one with its kind, `user:ann`, would be that user in an index whose lists hold plain names.
    """
    if not isinstance(name, str):
        return "it is no text"
    if not name.strip():
        return "it is empty"
    faults = {
        "it is too long": len(name) > MAX_NAME,
        "it stands for everybody": name.strip() == PUBLIC,
        "it begins with a kind of principal": name.strip().lower().startswith(_KINDS),
        "it has space around it": name != name.strip(),
        "it holds characters that nobody sees": (
            not is_holdable(name) or clean(name) != name or any(letter in name for letter in "\n\r\t")
        ),
    }
    return next((why for why, there in faults.items() if there), "")


def granted(claims: Mapping[str, Any], scope: str, *, roles: bool) -> list[str]:
    """The scope, by the name it is asked for, or nothing.

    With `roles`, as Entra ID has it: tokens hold the part behind the last slash, and those that an application got for
    itself hold it among `roles`.
    """
    held = set(_words(claims.get("scope"))) | set(_words(claims.get("scp")))
    needed = {scope}
    if roles:
        needed.add(scope.rpartition("/")[2])
        given = claims.get("roles")
        held |= {one for one in given if isinstance(one, str)} if isinstance(given, list) else set()
    return [scope] if held & needed else []


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split(" ")
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


log = structlog.stdlib.get_logger("ibid")

Claims = Mapping[str, Any]

MAX_GROUPS = 1000
OVERAGE = (
    "Your token leaves out what you belong to, because it is more than the issuer puts into a token; without it your "
    "rights cannot be told."
)
OVERAGE_CURE = (
    "In Entra ID, let the token hold only groups assigned to the application (Token configuration, groups claim), or "
    "use app roles and RAG_AUTH_GROUPS_CLAIM=roles."
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """Which claims say what. Names are taken by the letter, at the top of the token: a dot in one is part of it."""

    user: str = "sub"
    groups: tuple[str, ...] = ("groups",)
    department: str | None = None
    org: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.user, *self.groups, self.department, self.org) if name)


class _NotSaid(Exception):
    """A claim does not say what it should; the text is for the caller."""


def who(claims: Claims, meaning: Meaning) -> Caller | Unknown:
    """The caller; Unknown where a claim is missing that must be there, is unusable, or has been left out."""
    if _left_out(claims, meaning):
        return Unknown(OVERAGE, (OVERAGE_CURE,))
    try:
        user = _one(claims, meaning.user)
        if user is None:
            raise _NotSaid(f"Your token does not say who you are: it has no claim {meaning.user!r}.")
        groups = frozenset(name for claim in meaning.groups for name in _several(claims, claim))
        if len(groups) > MAX_GROUPS:
            raise _NotSaid(f"Your token names more than {MAX_GROUPS} groups.")
        return Caller(
            user_id=user,
            department=_one(claims, meaning.department),
            org_id=_one(claims, meaning.org),
            groups=groups,
        )
    except _NotSaid as error:
        return Unknown(str(error), ("RAG_AUTH_PRESET and the RAG_AUTH_ claims say which are read.",))


def _left_out(claims: Claims, meaning: Meaning) -> bool:
    """Whether a claim of ours is elsewhere (OpenID Connect, "distributed claims"): Entra ID does so from 200 groups on,
    and marks it with `hasgroups` in tokens that a browser gets."""
    elsewhere = claims.get("_claim_names")
    names = elsewhere.keys() if isinstance(elsewhere, dict) else ()
    hidden = "groups" in meaning.groups and claims.get("hasgroups") not in (None, False, "false")
    return hidden or any(name in names for name in meaning.names)


def _one(claims: Claims, name: str | None) -> str | None:
    value = claims.get(name) if name else None
    if value is None:
        return None
    if why := fault(value):
        raise _NotSaid(f"The claim {name!r} of your token cannot be used: {why}.")
    return str(value)


def _several(claims: Claims, name: str) -> list[str]:
    """One that cannot be a name opens nothing and is left out with a line of the log: others can still be read."""
    value = claims.get(name)
    if value is None:
        return []
    if not isinstance(value, str | list):
        raise _NotSaid(f"The claim {name!r} of your token is no list of names.")
    given = [value] if isinstance(value, str) else value
    for why in {why for one in given if (why := fault(one))}:
        log.warning("identity.left_out", claim=name, reason=why)
    return [one for one in given if not fault(one)]
