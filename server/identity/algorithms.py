"""Signature algorithms of tokens. Without PyJWT, so that the settings load fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ALGORITHMS: Mapping[str, tuple[str, str | None]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
"""The supported algorithms, with key type and curve of each."""


def fits(jwk: Mapping[str, Any], algorithm: str) -> bool:
    """Whether a published key is for this algorithm. Otherwise a public key could serve as the secret of an HMAC."""
    kind, curve = ALGORITHMS[algorithm]
    if jwk.get("kty") != kind or (curve is not None and jwk.get("crv") != curve):
        return False
    return jwk.get("alg") in (None, algorithm)
