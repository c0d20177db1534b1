"""The signatures that can be taken, and which keys fit each: only those whose secret the issuer alone has."""

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
"""Their names, with the kind of key and the curve that each takes."""


def fits(jwk: Mapping[str, Any], algorithm: str) -> bool:
    """Whether a published key is for that algorithm: one for another kind must never verify, or a public key could
    be used as the secret of a signature."""
    kind, curve = ALGORITHMS[algorithm]
    if jwk.get("kty") != kind or (curve is not None and jwk.get("crv") != curve):
        return False
    return jwk.get("alg") in (None, algorithm)
