"""Who was admitted: what a verifier hands on to the request, and all that the rest of the server gets to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.auth.provider import AccessToken
from pydantic import SkipValidation

from corpus.access import Caller


@dataclass(frozen=True, slots=True)
class Unknown:
    """The token is sound, but it does not say who asks; `reason` is for them to read, with the cure."""

    reason: str
    hints: tuple[str, ...] = ()


class Admitted(AccessToken):
    """The SDK's facts of a token without the token itself, which nothing after the check needs.

    `client_id`, the issuer and `subject` together are one identity: the SDK binds sessions and questions to them.
    """

    who: SkipValidation[Caller | Unknown]
    holds: SkipValidation[Callable[[], bool]]
    """Whether it holds still; a call or a stream can outlive it."""


def admitted(
    who: Caller | Unknown, *, client: str, issuer: str, subject: str, scopes: list[str], expires: int | None,
    holds: Callable[[], bool],
) -> Admitted:  # fmt: skip
    """`expires` in seconds since 1970, with the leeway, for the SDK compares it with the clock as it is."""
    facts: dict[str, Any] = {"iss": issuer}
    return Admitted(
        token="", client_id=client, scopes=scopes, expires_at=expires, subject=subject, claims=facts,
        who=who, holds=holds,
    )  # fmt: skip
