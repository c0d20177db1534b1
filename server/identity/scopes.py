"""Whether a token has the scope that is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
