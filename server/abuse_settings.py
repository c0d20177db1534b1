"""Settings against misuse: lifetime of picture addresses, calls per caller, the audit file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from server.setting_fields import SettingsPart, variable

SHORTEST_IMAGE_SECONDS = 3600
HTTP_RATE = 1200
"""Calls a minute of one caller over HTTP where nothing is set: far more than a person and a model make."""


class AbuseSettings(SettingsPart):
    """A part of `server.settings.Settings`."""

    http_image_seconds: int = Field(
        default=SHORTEST_IMAGE_SECONDS,
        ge=SHORTEST_IMAGE_SECONDS,
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
