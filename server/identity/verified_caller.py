"""The result of authentication, which the SDK attaches to the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.auth.provider import AccessToken
from pydantic import SkipValidation

from corpus.access import Caller


@dataclass(frozen=True, slots=True)
class Unknown:
    """A valid token that does not identify the caller. `reason` and `hints` are for the caller to read."""

    reason: str
    hints: tuple[str, ...] = ()


class Admitted(AccessToken):
    """The SDK's access token without the secret itself.

    The SDK binds sessions and questions to `client_id`, issuer and `subject` together.
    """

    who: SkipValidation[Caller | Unknown]
    holds: SkipValidation[Callable[[], bool]]
    """Whether the credentials are still valid; a call or a stream may outlive them."""


def admitted(
    who: Caller | Unknown, *, client: str, issuer: str, subject: str, scopes: list[str], expires: int | None,
    holds: Callable[[], bool],
) -> Admitted:  # fmt: skip
    """Build an `Admitted`. `expires` is in seconds since 1970 and includes the leeway, since the SDK adds none."""
    facts: dict[str, Any] = {"iss": issuer}
    return Admitted(
        token="", client_id=client, scopes=scopes, expires_at=expires, subject=subject, claims=facts,
        who=who, holds=holds,
    )  # fmt: skip
