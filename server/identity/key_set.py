"""The keys of an issuer that can verify signatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jwt import PyJWK
from jwt.exceptions import PyJWTError

from server.identity.algorithms import ALGORITHMS, fits
from server.identity.issuer_requests import Unusable

MAX_KEYS = 100
MAX_NUMBER = 1400
"""Characters of a number in a key, about 8,400 bits. Longer ones would be slow to verify with."""
_SECRET = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})

Jwk = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeySet:
    """Published keys that can verify signatures."""

    keys: tuple[Jwk, ...]

    def fit(self, algorithm: str) -> bool:
        """Whether a key is for this algorithm."""
        return any(fits(jwk, algorithm) for jwk in self.keys)

    def find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """The key with this id for the algorithm, or without `kid` the only key for it. None unless there is exactly
        one."""
        fitting = [jwk for jwk in self.keys if fits(jwk, algorithm) and kid in (None, jwk.get("kid"))]
        if len(fitting) != 1:
            return None
        try:
            return PyJWK(dict(fitting[0]), algorithm)
        except PyJWTError:
            return None


def key_set(published: Mapping[str, Any]) -> KeySet:
    """The usable keys of a JWKS. Raises Unusable if there are none."""
    listed = published.get("keys")
    if not isinstance(listed, list) or len(listed) > MAX_KEYS:
        raise Unusable("what it publishes is no set of keys")
    usable = tuple(jwk for jwk in listed if isinstance(jwk, dict) and _verifies(jwk))
    if not usable:
        raise Unusable("it publishes no key that can verify a signature")
    return KeySet(usable)


def _verifies(jwk: Jwk) -> bool:
    operations = jwk.get("key_ops", ["verify"])
    return (
        jwk.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
        and isinstance(jwk.get("kid", ""), str)
        and not _SECRET & jwk.keys()
        and all(len(str(jwk.get(number, ""))) <= MAX_NUMBER for number in ("n", "e", "x", "y"))
        and any(fits(jwk, algorithm) for algorithm in ALGORITHMS)
    )
