"""Settings of identity over HTTP: token issuer, signature algorithms, claims and API keys. This file does not import
PyJWT, so that the settings load fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from server.identity.entra import ENTRA_CLAIMS, names_no_tenant
from server.settings.checks import Listed, SettingsPart, address, variable

ALGORITHMS: Mapping[str, tuple[str, str | None]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
"""The supported algorithms, each with its key type and curve."""


def fits(jwk: Mapping[str, Any], algorithm: str) -> bool:
    """Return whether a published key is for this algorithm. Without this check, an attacker could use a public key as
    the secret of an HMAC."""
    kind, curve = ALGORITHMS[algorithm]
    if jwk.get("kty") != kind or (curve is not None and jwk.get("crv") != curve):
        return False
    return jwk.get("alg") in (None, algorithm)


COMMON = ("RS256", "PS256", "ES256", "EdDSA")


class IdentitySettings(SettingsPart):
    """Settings for the authentication of callers over HTTP."""

    auth_issuer: str | None = variable(
        "RAG_AUTH_ISSUER",
        None,
        "Issuer of HTTP callers' tokens, exactly as in the tokens' iss claim, such as "
        "https://login.microsoftonline.com/TENANT/v2.0.",
    )
    auth_audience: Listed = variable(
        "RAG_AUTH_AUDIENCE",
        (),
        "Accepted audiences (claim aud) of a token, separated by commas. Unset: RAG_HTTP_PUBLIC_URL.",
    )
    auth_preset: Literal["oidc", "entra"] = variable(
        "RAG_AUTH_PRESET",
        "oidc",
        "Default claims: oidc (user in sub, groups in groups), or entra (Microsoft Entra ID: oid, tid, groups and "
        "roles).",
    )
    auth_tenants: Listed = variable(
        "RAG_AUTH_TENANTS",
        (),
        "Ids of the admitted Entra ID tenants, separated by commas, if the issuer serves several (common, "
        "organizations).",
    )
    auth_scope: str = Field(
        default="rag.read",
        pattern=r"^[\x21\x23-\x5b\x5d-\x7e]+$",
        validation_alias="RAG_AUTH_SCOPE",
        description="Scope that a token must have.",
    )
    auth_jwks_url: str | None = variable(
        "RAG_AUTH_JWKS_URL", None, "URL of the issuer's keys (JWKS). Unset: read from the issuer's metadata."
    )
    auth_algorithms: Listed = variable(
        "RAG_AUTH_ALGORITHMS",
        (),
        "Accepted signature algorithms, separated by commas; asymmetric ones only. Unset: RS256, PS256, ES256 and "
        "EdDSA.",
    )
    auth_user_claim: str | None = variable(
        "RAG_AUTH_USER_CLAIM", None, "Claim that names the user. Unset: by RAG_AUTH_PRESET."
    )
    auth_groups_claim: Listed = variable(
        "RAG_AUTH_GROUPS_CLAIM",
        (),
        "Claims that name groups, separated by commas. Unset: by RAG_AUTH_PRESET.",
    )
    auth_department_claim: str | None = variable(
        "RAG_AUTH_DEPARTMENT_CLAIM", None, "Claim that names the department. Unset: none."
    )
    auth_org_claim: str | None = variable(
        "RAG_AUTH_ORG_CLAIM", None, "Claim that names the organisation. Unset: by RAG_AUTH_PRESET."
    )
    auth_leeway: int = Field(
        default=60,
        ge=0,
        le=300,
        validation_alias="RAG_AUTH_LEEWAY",
        description="Tolerated clock difference between issuer and server, in seconds.",
    )
    api_keys: Path | None = variable(
        "RAG_API_KEYS",
        None,
        "File of the API keys of HTTP callers, written by `ibid key`; it contains only their digests.",
    )

    @field_validator("auth_issuer", "auth_jwks_url", mode="after")
    @classmethod
    def _reachable(cls, value: str | None) -> str | None:
        if value is None:
            return None
        # Keep a trailing slash: the claim must match exactly.
        plain = address(value, path=True, example="https://HOST/PATH")
        return f"{plain}/" if value.strip().endswith("/") else plain

    @field_validator("auth_algorithms", mode="after")
    @classmethod
    def _asymmetric(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= set(ALGORITHMS):
            raise ValueError(f"may only contain {', '.join(ALGORITHMS)}")
        return value

    @field_validator("api_keys", mode="after")
    @classmethod
    def _absolute_place(cls, value: Path | None) -> Path | None:
        try:
            return value and value.expanduser().absolute()
        except RuntimeError as error:
            raise ValueError(f"is {str(value)!r}, but that home folder does not exist. Write the full path") from error

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.auth_issuer is None:
            return self
        if not self.auth_audience and not getattr(self, "http_public_url", None):
            raise ValueError(
                "RAG_AUTH_AUDIENCE is not set. Without it, tokens issued for other services would be accepted. Set it "
                "to the audience that your provider writes into tokens for this server"
            )
        if self.auth_preset == "entra" and names_no_tenant(self.auth_issuer) and not self.auth_tenants:
            raise ValueError(
                "RAG_AUTH_ISSUER names no tenant, so users of any organisation would be admitted. Put the id of your "
                "tenant into it, https://login.microsoftonline.com/TENANT/v2.0, or list the tenants to admit in "
                "RAG_AUTH_TENANTS"
            )
        if self.auth_tenants and not (self.auth_preset == "entra" and names_no_tenant(self.auth_issuer)):
            raise ValueError(
                "RAG_AUTH_TENANTS requires RAG_AUTH_PRESET=entra and an issuer for several tenants, such as "
                "https://login.microsoftonline.com/organizations/v2.0. Unset it, or set these two"
            )
        return self

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Return the names of the accepted signature algorithms (RFC 7518)."""
        return self.auth_algorithms or COMMON

    @property
    def user_claim(self) -> str:
        """Return the claim that names the user."""
        return self.auth_user_claim or (ENTRA_CLAIMS["user"] if self.auth_preset == "entra" else "sub")

    @property
    def org_claim(self) -> str | None:
        """Return the claim that names the organisation."""
        return self.auth_org_claim or (ENTRA_CLAIMS["org"] if self.auth_preset == "entra" else None)

    @property
    def groups_claims(self) -> tuple[str, ...]:
        """Return the claims that name groups."""
        return self.auth_groups_claim or (("groups", "roles") if self.auth_preset == "entra" else ("groups",))
