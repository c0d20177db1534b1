"""Settings of a server over HTTP: host names, secrets, limits, the audit file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from server.http.host_names import name, origin
from server.settings.checks import SettingsPart, address, variable

MIN_KEY_LENGTH = 32
"""Characters of a secret in RAG_HTTP_KEYS; the same as the SDK asks for."""

Listed = Annotated[tuple[str, ...], NoDecode]
Secrets = Annotated[tuple[SecretStr, ...], NoDecode]


class HttpSettings(SettingsPart):
    """A part of `server.settings.model.Settings`."""

    http_public_url: str | None = variable(
        "RAG_HTTP_PUBLIC_URL",
        None,
        "Address of the endpoint as clients see it, such as https://ibid.example.org/mcp. Unset: where it listens.",
    )
    http_allowed_hosts: Listed = variable(
        "RAG_HTTP_ALLOWED_HOSTS",
        (),
        "Names under which the server is reached over HTTP, as in the Host header, separated by commas. Loopback "
        "always is.",
    )
    http_allowed_origins: Listed = variable(
        "RAG_HTTP_ALLOWED_ORIGINS",
        (),
        "Origins of web pages that may ask the server, such as https://app.example.org, separated by commas. Unset: "
        "none.",
    )
    http_keys: Secrets = variable(
        "RAG_HTTP_KEYS",
        (),
        "Secrets of 32 letters or more, the newest first, separated by commas: the same for all processes of one "
        "service. Unset: each process makes its own.",
    )
    http_stateless: bool = variable(
        "RAG_HTTP_STATELESS",
        False,
        "Whether clients of the older protocol get no session, for several processes behind a proxy that does not "
        "send a client to the same one.",
    )
    http_max_body: int = Field(
        default=4 * 1024 * 1024,
        ge=1024,
        validation_alias="RAG_HTTP_MAX_BODY",
        description="Most bytes in the body of a request.",
    )
    http_max_sessions: int = Field(
        default=1000,
        ge=1,
        validation_alias="RAG_HTTP_MAX_SESSIONS",
        description="Most sessions of clients of the older protocol at once, in one process.",
    )
    http_session_seconds: float = Field(
        default=1800,
        gt=0,
        validation_alias="RAG_HTTP_SESSION_SECONDS",
        description="How long such a session is kept without a request, in seconds.",
    )
    http_max_calls: int = Field(
        default=16,
        ge=1,
        validation_alias="RAG_HTTP_MAX_CALLS",
        description="Most requests that are worked on at once, in one process. Others wait.",
    )
    http_max_waiting: int = Field(
        default=64,
        ge=0,
        validation_alias="RAG_HTTP_MAX_WAITING",
        description="Most requests that wait for that. Further ones are refused with 503.",
    )
    http_close_seconds: float = Field(
        default=10.0,
        ge=0,
        validation_alias="RAG_HTTP_CLOSE_SECONDS",
        description="How long calls may go on after the server is asked to end, in seconds.",
    )

    @property
    def http_caller_sessions(self) -> int:
        """Most sessions of one caller at once: a tenth of all, so that nobody takes them from the others."""
        return max(1, self.http_max_sessions // 10)

    @field_validator("http_allowed_hosts", "http_allowed_origins", "http_keys", mode="before")
    @classmethod
    def _http_lists(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part for one in value.split(",") if (part := one.strip()))
        return value

    @field_validator("http_allowed_hosts", mode="after")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if name(host) is None:
                raise ValueError(
                    f"holds {host[:80]!r}, which is no name of a host. Write it as ibid.example.org or "
                    "ibid.example.org:8443, without https:// and without *"
                )
        return value

    @field_validator("http_allowed_origins", mode="after")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for item in value:
            if origin(item) is None:
                raise ValueError(
                    f"holds {item[:80]!r}, which is no origin. Write it as https://app.example.org, without a path "
                    "and without *"
                )
        return value

    @field_validator("http_public_url", mode="after")
    @classmethod
    def _public_address(cls, value: str | None) -> str | None:
        return value and address(value, path=True, example="https://HOST/mcp")

    @field_validator("http_keys", mode="after")
    @classmethod
    def _long_secrets(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        if any(len(one.get_secret_value()) < MIN_KEY_LENGTH for one in value):
            raise ValueError(
                f"holds a secret of fewer than {MIN_KEY_LENGTH} characters. Make one with "
                '`python -c "import secrets; print(secrets.token_urlsafe(32))"`'
            )
        return value


MIN_IMAGE_SECONDS = 3600
HTTP_RATE = 1200
"""Calls a minute of one caller over HTTP where nothing is set: far more than a person and a model make."""


class LimitsSettings(SettingsPart):
    """A part of `server.settings.model.Settings`."""

    http_image_seconds: int = Field(
        default=MIN_IMAGE_SECONDS,
        ge=MIN_IMAGE_SECONDS,
        validation_alias="RAG_HTTP_IMAGE_SECONDS",
        description="How long the address of a picture holds over HTTP, in seconds; an hour or more.",
    )
    rate_limit: int | None = Field(
        default=None,
        ge=0,
        validation_alias="RAG_RATE_LIMIT",
        description=f"Most calls of one caller in a minute; 0: no limit. Unset: {HTTP_RATE} over HTTP, no limit over "
        "standard input.",
    )
    caller_calls: int = Field(
        default=8,
        ge=1,
        validation_alias="RAG_CALLER_CALLS",
        description="Most calls of one caller that are worked on at once over HTTP. Others wait.",
    )
    caller_waiting: int = Field(
        default=64,
        ge=0,
        validation_alias="RAG_CALLER_WAITING",
        description="Most calls of one caller that wait for that. Further ones are refused.",
    )
    audit_filter: Literal["digest", "text"] = variable(
        "RAG_AUDIT_FILTER",
        "digest",
        "What the audit says of the access rule that an answer went through: its digest, or the text of the filter, "
        "which names the caller's groups.",
    )
    audit_file: Path | None = variable(
        "RAG_AUDIT_FILE",
        None,
        "File that gets a line for each decision on access: who asked for what and which documents came of it. Where "
        "it cannot be written, nothing is answered. Unset: none.",
    )

    @field_validator("audit_file", mode="after")
    @classmethod
    def _whole_path(cls, value: Path | None) -> Path | None:
        return value and value.expanduser().absolute()
