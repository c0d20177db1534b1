"""Settings of the HTTP server: host names, secrets, limits and the audit log."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator

from server.http.host_names import name, origin
from server.settings.checks import Listed, Secrets, SettingsPart, address, variable

MIN_KEY_LENGTH = 32
"""Minimum length of a secret in RAG_HTTP_KEYS, in characters. The SDK has the same minimum."""


class HttpSettings(SettingsPart):
    """Settings for addresses, secrets, sessions and concurrency of the HTTP server."""

    http_public_url: str | None = variable(
        "RAG_HTTP_PUBLIC_URL",
        None,
        "Public URL of the endpoint, such as https://ibid.example.org/mcp. Unset: the address it listens on.",
    )
    http_allowed_hosts: Listed = variable(
        "RAG_HTTP_ALLOWED_HOSTS",
        (),
        "Accepted values of the Host header, separated by commas. Loopback is always accepted.",
    )
    http_allowed_origins: Listed = variable(
        "RAG_HTTP_ALLOWED_ORIGINS",
        (),
        "Origins of web pages that may call the server, such as https://app.example.org, separated by commas. Unset: "
        "none.",
    )
    http_keys: Secrets = variable(
        "RAG_HTTP_KEYS",
        (),
        "Secrets of at least 32 characters, newest first, separated by commas; all processes of one service need the "
        "same secrets. Unset: each process generates its own.",
    )
    http_stateless: bool = variable(
        "RAG_HTTP_STATELESS",
        False,
        "Do not open sessions for clients of the older protocol. Needed if several processes run behind a proxy "
        "without sticky sessions.",
    )
    http_max_body: int = Field(
        default=1024 * 1024,
        ge=1024,
        validation_alias="RAG_HTTP_MAX_BODY",
        description="Maximum size of a request body, in bytes.",
    )
    http_max_sessions: int = Field(
        default=1000,
        ge=1,
        validation_alias="RAG_HTTP_MAX_SESSIONS",
        description="Maximum number of open sessions per process (clients of the older protocol).",
    )
    http_session_seconds: float = Field(
        default=1800,
        gt=0,
        validation_alias="RAG_HTTP_SESSION_SECONDS",
        description="Seconds after which an idle session is closed.",
    )
    http_max_calls: int = Field(
        default=16,
        ge=1,
        validation_alias="RAG_HTTP_MAX_CALLS",
        description="Maximum number of concurrent requests per process. Others wait.",
    )
    http_max_waiting: int = Field(
        default=64,
        ge=0,
        validation_alias="RAG_HTTP_MAX_WAITING",
        description="Maximum number of waiting requests, per process. Further ones are refused with 503.",
    )
    http_close_seconds: float = Field(
        default=10.0,
        ge=0,
        validation_alias="RAG_HTTP_CLOSE_SECONDS",
        description="Seconds that the server waits at shutdown for running calls to finish.",
    )

    @property
    def http_caller_sessions(self) -> int:
        """Return the maximum number of sessions per caller. It is a tenth of the total, so that no caller can use up
        all sessions."""
        return max(1, self.http_max_sessions // 10)

    @field_validator("http_allowed_hosts", mode="after")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if name(host) is None:
                raise ValueError(
                    f"contains {host[:80]!r}, which is not a host name. Write it as ibid.example.org or "
                    "ibid.example.org:8443, without https:// and without *"
                )
        return value

    @field_validator("http_allowed_origins", mode="after")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for item in value:
            if origin(item) is None:
                raise ValueError(
                    f"contains {item[:80]!r}, which is not an origin. Write it as https://app.example.org, without a "
                    "path and without *"
                )
        return value

    @field_validator("http_public_url", mode="after")
    @classmethod
    def _public_address(cls, value: str | None) -> str | None:
        return value and address(value, path=True, example="https://HOST/mcp")

    @field_validator("http_keys", mode="after")
    @classmethod
    def _long_secrets(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        if any(len(secret.get_secret_value()) < MIN_KEY_LENGTH for secret in value):
            raise ValueError(
                f"contains a secret of fewer than {MIN_KEY_LENGTH} characters. Generate one with "
                '`python -c "import secrets; print(secrets.token_urlsafe(32))"`'
            )
        return value


MIN_IMAGE_SECONDS = 3600
HTTP_RATE = 1200
"""Default of RAG_RATE_LIMIT over HTTP, in calls per minute. It is far more than a person with a model makes."""


class LimitsSettings(SettingsPart):
    """Settings for limits per caller, and for the audit log."""

    http_image_seconds: int = Field(
        default=MIN_IMAGE_SECONDS,
        ge=MIN_IMAGE_SECONDS,
        validation_alias="RAG_HTTP_IMAGE_SECONDS",
        description="Seconds that a signed picture URL stays valid over HTTP; at least an hour.",
    )
    rate_limit: int | None = Field(
        default=None,
        ge=0,
        validation_alias="RAG_RATE_LIMIT",
        description=f"Maximum number of calls per minute for each caller; 0: no limit. Unset: {HTTP_RATE} over HTTP, "
        "no limit over stdio.",
    )
    caller_calls: int = Field(
        default=8,
        ge=1,
        validation_alias="RAG_CALLER_CALLS",
        description="Maximum number of concurrent calls of one caller over HTTP. Others wait.",
    )
    caller_waiting: int = Field(
        default=64,
        ge=0,
        validation_alias="RAG_CALLER_WAITING",
        description="Maximum number of waiting calls per caller. Further ones are refused.",
    )
    audit_filter: Literal["digest", "text"] = variable(
        "RAG_AUDIT_FILTER",
        "digest",
        "How the audit log records the access rule of an answer: as a digest, or as the text of the filter, which "
        "names the caller's groups.",
    )
    audit_file: Path | None = variable(
        "RAG_AUDIT_FILE",
        None,
        "Audit log: a line per access decision, with the caller, the request and the disclosed documents. If it "
        "cannot be written, the server answers nothing. Unset: none.",
    )

    @field_validator("audit_file", mode="after")
    @classmethod
    def _whole_path(cls, value: Path | None) -> Path | None:
        return value and value.expanduser().absolute()
