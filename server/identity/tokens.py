"""Validate an issuer's token: header, signature, then claims. Reject it at the first failure."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jwt
from jwt.exceptions import (
    ExpiredSignatureError,
    ImmatureSignatureError,
    InvalidAudienceError,
    InvalidIssuerError,
    InvalidSignatureError,
    PyJWTError,
)

from corpus.access import Caller
from server.identity.claims import Claims, Meaning, granted, who
from server.identity.entra import tenant_of
from server.identity.issuer_keys import IssuerKeys
from server.identity.verified_caller import Admitted, admitted

MAX_TOKEN = 16 * 1024
"""Maximum length of a token, in characters."""
MAX_KID = 512

_TYPES = frozenset({"jwt", "at+jwt", "application/jwt", "application/at+jwt"})
_REASONS: Mapping[type[PyJWTError], str] = {
    ExpiredSignatureError: "it has expired",
    ImmatureSignatureError: "it is not valid yet",
    InvalidAudienceError: "it is for another audience",
    InvalidIssuerError: "it is from another issuer",
    InvalidSignatureError: "its signature is invalid",
}


class Refused(Exception):
    """The token is refused. The message states the reason for the log and quotes nothing from the token."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The requirements for a token. Its issuer must be exactly one of `issuers`. With `one_tenant_each`, the claim
    `tid` must name the tenant in the issuer's path."""

    issuers: frozenset[str]
    audiences: tuple[str, ...]
    algorithms: tuple[str, ...]
    scope: str
    leeway: int = 60
    one_tenant_each: bool = False
    roles_are_scopes: bool = False
    keeps_tokens: bool = False
    """Whether the token is kept with the caller, for an index that checks permissions itself."""
    meaning: Meaning = field(default_factory=Meaning)


class Tokens:
    """Authenticates tokens of one issuer."""

    def __init__(self, rules: Rules, keys: IssuerKeys) -> None:
        self._rules = rules
        self._keys = keys

    async def admitted(self, token: str) -> Admitted:
        """Authenticate a token. Raise Refused if it is invalid. A token without the scope is accepted here; the SDK
        refuses it later."""
        algorithm, kid = self._heading(token)
        key = await self._keys.find(kid, algorithm)
        if key is None:
            raise Refused("its key is not one of the issuer's keys")
        claims = self._claims(token, key, algorithm)
        caller = who(claims, self._rules.meaning)
        subject = caller.user_id if isinstance(caller, Caller) else claims.get("sub")
        if self._rules.keeps_tokens and isinstance(caller, Caller):
            caller = replace(caller, token=token)
        expires = int(claims["exp"]) + self._rules.leeway
        return admitted(
            caller, client=_client(claims), issuer=claims["iss"], subject=str(subject),
            scopes=granted(claims, self._rules.scope, roles=self._rules.roles_are_scopes),
            expires=expires, holds=lambda: time.time() < expires,
        )  # fmt: skip

    def _heading(self, token: str) -> tuple[str, str | None]:
        """Return the algorithm and key id. No other part of the header is used, least of all embedded keys."""
        if len(token) > MAX_TOKEN:
            raise Refused("it is too long")
        if not token.isascii() or token.count(".") != 2:
            raise Refused("it is not a signed token")
        try:
            header = jwt.get_unverified_header(token)
        except PyJWTError:
            raise Refused("it is not a signed token") from None
        algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ")
        if not isinstance(algorithm, str) or algorithm not in self._rules.algorithms:
            raise Refused("its algorithm is not accepted")
        if "crit" in header or "b64" in header:
            raise Refused("it requires extensions")
        if kind is not None and (not isinstance(kind, str) or kind.lower() not in _TYPES):
            raise Refused("it is another type of token")
        if kid is not None and len(kid) > MAX_KID:
            raise Refused("its key id is too long")
        return algorithm, kid

    def _claims(self, token: str, key: jwt.PyJWK, algorithm: str) -> Claims:
        rules = self._rules
        try:
            claims = jwt.decode(
                token, key, algorithms=[algorithm], audience=list(rules.audiences), issuer=rules.issuers,
                leeway=rules.leeway,
                options={"require": ["exp", "iss", "aud"], "enforce_minimum_key_length": True},
            )  # fmt: skip
        except PyJWTError as error:
            raise Refused(_REASONS.get(type(error), "its claims are invalid")) from None
        if any(not _is_time(claims[name]) for name in ("exp", "nbf", "iat") if name in claims):
            raise Refused("its claims are invalid")
        tenant = claims.get("tid")
        if rules.one_tenant_each and (not isinstance(tenant, str) or tenant.lower() != tenant_of(claims["iss"])):
            raise Refused("it is from another tenant")
        return claims


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _client(claims: Claims) -> str:
    """Return the application that the token was issued to. Providers use different claims for it."""
    names = ("azp", "appid", "client_id", "cid")
    return next((value for name in names if isinstance(value := claims.get(name), str)), "unnamed")
