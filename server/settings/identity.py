"""Settings of identity over HTTP: the issuer of tokens, the meaning of its claims, the file of keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import NoDecode

from server.identity.entra import ENTRA_CLAIMS, names_no_tenant
from server.identity.key_set import ALGORITHMS
from server.settings.checks import SettingsPart, address, variable

Listed = Annotated[tuple[str, ...], NoDecode]
COMMON = ("RS256", "PS256", "ES256", "EdDSA")
LISTS = ("auth_audience", "auth_algorithms", "auth_tenants", "auth_groups_claim")


class IdentitySettings(SettingsPart):
    """A part of `server.settings.model.Settings`."""

    auth_issuer: str | None = variable(
        "RAG_AUTH_ISSUER",
        None,
        "Who issues the tokens of callers over HTTP, by the letter of their claim iss, such as "
        "https://login.microsoftonline.com/TENANT/v2.0.",
    )
    auth_audience: Listed = variable(
        "RAG_AUTH_AUDIENCE",
        (),
        "Whom a token must be meant for: one of these in its claim aud, separated by commas. Unset: "
        "RAG_HTTP_PUBLIC_URL.",
    )
    auth_preset: Literal["oidc", "entra"] = variable(
        "RAG_AUTH_PRESET",
        "oidc",
        "What the claims mean where nothing else is set: oidc (the user is sub, groups are groups), or entra "
        "(Microsoft Entra ID: oid, tid, groups and roles).",
    )
    auth_tenants: Listed = variable(
        "RAG_AUTH_TENANTS",
        (),
        "Tenants of Entra ID that are admitted, by their ids, where the issuer is one for several (common, "
        "organizations).",
    )
    auth_scope: str = Field(
        default="rag.read",
        pattern=r"^[\x21\x23-\x5b\x5d-\x7e]+$",
        validation_alias="RAG_AUTH_SCOPE",
        description="The scope that a token must have.",
    )
    auth_jwks_url: str | None = variable(
        "RAG_AUTH_JWKS_URL", None, "Where the issuer's keys are. Unset: where its metadata says."
    )
    auth_algorithms: Listed = variable(
        "RAG_AUTH_ALGORITHMS",
        (),
        "Signatures that are taken, separated by commas; none with a shared secret can be. Unset: RS256, PS256, ES256 "
        "and EdDSA.",
    )
    auth_user_claim: str | None = variable(
        "RAG_AUTH_USER_CLAIM", None, "The claim that names the user. Unset: by RAG_AUTH_PRESET."
    )
    auth_groups_claim: Listed = variable(
        "RAG_AUTH_GROUPS_CLAIM",
        (),
        "The claims that name groups, separated by commas. Unset: by RAG_AUTH_PRESET.",
    )
    auth_department_claim: str | None = variable(
        "RAG_AUTH_DEPARTMENT_CLAIM", None, "The claim that names the department. Unset: none."
    )
    auth_org_claim: str | None = variable(
        "RAG_AUTH_ORG_CLAIM", None, "The claim that names the organisation. Unset: by RAG_AUTH_PRESET."
    )
    auth_leeway: int = Field(
        default=60,
        ge=0,
        le=300,
        validation_alias="RAG_AUTH_LEEWAY",
        description="Seconds by which the clocks of issuer and server may differ.",
    )
    api_keys: Path | None = variable(
        "RAG_API_KEYS",
        None,
        "File of the keys that `ibid key` makes, for callers over HTTP; it holds their digests.",
    )

    @field_validator(*LISTS, mode="before")
    @classmethod
    def _listed_for_identity(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part for one in value.split(",") if (part := one.strip()))
        return value

    @field_validator("auth_issuer", "auth_jwks_url", mode="after")
    @classmethod
    def _reachable(cls, value: str | None) -> str | None:
        if value is None:
            return None
        # By the letter: some issuers end in a slash, and then so does the claim.
        plain = address(value, path=True, example="https://HOST/PATH")
        return f"{plain}/" if value.strip().endswith("/") else plain

    @field_validator("auth_algorithms", mode="after")
    @classmethod
    def _asymmetric(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= set(ALGORITHMS):
            raise ValueError(f"may hold {', '.join(ALGORITHMS)}, and nothing else")
        return value

    @field_validator("api_keys", mode="after")
    @classmethod
    def _absolute_place(cls, value: Path | None) -> Path | None:
        try:
            return value and value.expanduser().absolute()
        except RuntimeError as error:
            raise ValueError(
                f"is {str(value)!r}, but there is no such home folder. Write the whole path"
            ) from error

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.auth_issuer is None:
            return self
        if not self.auth_audience and not getattr(self, "http_public_url", None):
            raise ValueError(
                "RAG_AUTH_AUDIENCE is not set. Without it tokens that were made for other services would be taken; set "
                "it to the audience that your provider writes into tokens for this server"
            )
        if self.auth_preset == "entra" and names_no_tenant(self.auth_issuer) and not self.auth_tenants:
            raise ValueError(
                "RAG_AUTH_ISSUER names no tenant, so that people of whatever organisation would be admitted. Put the "
                "id of your tenant into it, https://login.microsoftonline.com/TENANT/v2.0, or list those that are "
                "meant in RAG_AUTH_TENANTS"
            )
        if self.auth_tenants and not (self.auth_preset == "entra" and names_no_tenant(self.auth_issuer)):
            raise ValueError(
                "RAG_AUTH_TENANTS is for RAG_AUTH_PRESET=entra with an issuer of several tenants, such as "
                "https://login.microsoftonline.com/organizations/v2.0. Unset it, or set those"
            )
        return self

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the accepted signature algorithms (RFC 7518)."""
        return self.auth_algorithms or COMMON

    @property
    def user_claim(self) -> str:
        """The claim that names the user."""
        return self.auth_user_claim or (ENTRA_CLAIMS["user"] if self.auth_preset == "entra" else "sub")

    @property
    def org_claim(self) -> str | None:
        """The claim that names the organisation."""
        return self.auth_org_claim or (ENTRA_CLAIMS["org"] if self.auth_preset == "entra" else None)

    @property
    def groups_claims(self) -> tuple[str, ...]:
        """The claims that name groups."""
        return self.auth_groups_claim or (("groups", "roles") if self.auth_preset == "entra" else ("groups",))
