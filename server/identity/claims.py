"""Map the claims of a verified token to a caller. Only the claims that the settings name are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from corpus.access import KINDS, PUBLIC, Caller, is_holdable
from corpus.text.normalization import clean
from server.identity.verified_caller import Unknown

MAX_NAME = 256
"""Maximum length, in characters, of the name of a user, group, department or organisation."""
_KINDS = tuple(f"{kind}:" for kind in KINDS)


def fault(name: object) -> str:
    """Return the reason why a value cannot name a user, group, department or organisation, or an empty string if it
    can.

    A name that looks like a principal, such as `user:ann`, would match that user in an index with prefixed lists.
    """
    if not isinstance(name, str):
        return "it is not a string"
    if not name.strip():
        return "it is empty"
    faults = {
        "it is too long": len(name) > MAX_NAME,
        "it stands for everybody": name.strip() == PUBLIC,
        "it begins with the prefix of a principal": name.strip().lower().startswith(_KINDS),
        "it has spaces around it": name != name.strip(),
        "it contains invisible characters": (
            not is_holdable(name) or clean(name) != name or any(character in name for character in "\n\r\t")
        ),
    }
    return next((why for why, present in faults.items() if present), "")


def granted(claims: Mapping[str, Any], scope: str, *, roles: bool) -> list[str]:
    """Return a list that contains the scope if the token grants it, and is empty otherwise.

    Set `roles` for Entra ID, whose tokens contain only the part of the scope after the last slash. In tokens that an
    application obtained for itself, the claim `roles` contains it.
    """
    scopes = set(_words(claims.get("scope"))) | set(_words(claims.get("scp")))
    needed = {scope}
    if roles:
        needed.add(scope.rpartition("/")[2])
        claimed = claims.get("roles")
        scopes |= {role for role in claimed if isinstance(role, str)} if isinstance(claimed, list) else set()
    return [scope] if scopes & needed else []


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split(" ")
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


log = structlog.stdlib.get_logger("ibid")

Claims = Mapping[str, Any]

MAX_GROUPS = 1000
OVERAGE = (
    "Your token omits your groups, because you belong to more than the issuer puts into a token. Without them your "
    "rights cannot be determined."
)
OVERAGE_CURE = (
    "In Entra ID, put only groups assigned to the application (Token configuration, groups claim), or "
    "use app roles and RAG_AUTH_GROUPS_CLAIM=roles."
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The names of the claims to read. Names are exact and top-level; dots have no special meaning."""

    user: str = "sub"
    groups: tuple[str, ...] = ("groups",)
    department: str | None = None
    org: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all claims that are read."""
        return tuple(name for name in (self.user, *self.groups, self.department, self.org) if name)


class _BadClaim(Exception):
    """A claim is missing or invalid. The message is for the caller."""


def who(claims: Claims, meaning: Meaning) -> Caller | Unknown:
    """Return the caller, or Unknown if a required claim is missing or invalid, or if the issuer omitted it."""
    if _left_out(claims, meaning):
        return Unknown(OVERAGE, (OVERAGE_CURE,))
    try:
        user = _one(claims, meaning.user)
        if user is None:
            raise _BadClaim(f"Your token does not identify you: it has no claim {meaning.user!r}.")
        groups = frozenset(name for claim in meaning.groups for name in _several(claims, claim))
        if len(groups) > MAX_GROUPS:
            raise _BadClaim(f"Your token names more than {MAX_GROUPS} groups.")
        return Caller(
            user_id=user,
            department=_one(claims, meaning.department),
            org_id=_one(claims, meaning.org),
            groups=groups,
        )
    except _BadClaim as error:
        return Unknown(str(error), ("RAG_AUTH_PRESET and the RAG_AUTH_ claims configure which claims are read.",))


def _left_out(claims: Claims, meaning: Meaning) -> bool:
    """Return whether the issuer omitted a claim from the token (OpenID Connect, "distributed claims"). Entra ID omits
    the groups if there are more than 200, and sets `hasgroups` in tokens for browsers."""
    elsewhere = claims.get("_claim_names")
    names = elsewhere.keys() if isinstance(elsewhere, dict) else ()
    hidden = "groups" in meaning.groups and claims.get("hasgroups") not in (None, False, "false")
    return hidden or any(name in names for name in meaning.names)


def _one(claims: Claims, name: str | None) -> str | None:
    value = claims.get(name) if name else None
    if value is None:
        return None
    if why := fault(value):
        raise _BadClaim(f"The claim {name!r} of your token cannot be used: {why}.")
    return str(value)


def _several(claims: Claims, name: str) -> list[str]:
    """Return the valid names in a claim. Invalid names are dropped and logged, because they cannot grant anything."""
    value = claims.get(name)
    if value is None:
        return []
    if not isinstance(value, str | list):
        raise _BadClaim(f"The claim {name!r} of your token is not a list of names.")
    claimed = [value] if isinstance(value, str) else value
    for why in {why for item in claimed if (why := fault(item))}:
        log.warning("identity.left_out", claim=name, reason=why)
    return [item for item in claimed if not fault(item)]
