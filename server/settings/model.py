"""The settings: one frozen model, and the only place that reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_dir
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import NoDecode, SettingsConfigDict

from corpus.errors import NotConfigured
from server.settings.azure import READER, AzureSettings, set_up
from server.settings.checks import check_names, escaped_name, near_match, problem, variable
from server.settings.folders import FolderSettings
from server.settings.http import HttpSettings, LimitsSettings
from server.settings.identity import IdentitySettings
from server.settings.models import EmbedderSettings, LlmSettings, RerankerSettings
from server.settings.telemetry import LangfuseSettings, TracingSettings

Names = Annotated[tuple[str, ...], NoDecode]


class Settings(
    AzureSettings,
    EmbedderSettings,
    RerankerSettings,
    LlmSettings,
    FolderSettings,
    HttpSettings,
    IdentitySettings,
    LimitsSettings,
    TracingSettings,
    LangfuseSettings,
):
    """What is in force for this process. Read once, by `load_settings`, and passed on."""

    model_config = SettingsConfigDict(frozen=True, env_ignore_empty=True, case_sensitive=True, extra="ignore")

    backend: Literal["local", "azure"] = variable(
        "RAG_BACKEND",
        "local",
        "Which index answers: local, embedded in the process, or azure, a service of Azure AI Search.",
    )
    data_dir: Path = Field(
        default_factory=lambda: Path(user_data_dir("ibid", appauthor=False)),
        validation_alias="RAG_DATA_DIR",
        description="Folder of the local index. Default: the user's data folder of the system.",
    )
    ocr: Literal["auto", "off"] = variable(
        "RAG_OCR",
        "auto",
        "Whether pages and figures that are pictures of text are read by text recognition, after all texts: auto or "
        "off.",
    )
    user_id: str | None = variable(
        "RAG_USER_ID", None, "Who asks, over stdio. Without any identity: public only."
    )
    department: str | None = variable("RAG_DEPARTMENT", None, "The department of who asks.")
    org_id: str | None = variable("RAG_ORG_ID", None, "The organisation of who asks.")
    groups: Names = variable("RAG_GROUPS", (), "Groups of who asks, separated by commas.")
    principal_prefixes: bool | None = variable(
        "RAG_PRINCIPAL_PREFIXES",
        None,
        "Whether access lists tell user:, department:, org: and group: apart. Kept with an index once it is made; "
        "unset: true for a new one.",
    )
    allow_unfiltered: bool = variable(
        "RAG_ALLOW_UNFILTERED",
        False,
        "Turn every access rule off, for tests of an index. Warns at each start.",
    )
    page_label: str = Field(
        default="S.",
        max_length=20,
        validation_alias="RAG_PAGE_LABEL",
        description="The word before a page number in citations; auto: by the language, S. in German and p. else.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = variable(
        "RAG_LOG_LEVEL", "INFO", "Least severe log line that is written, to standard error."
    )
    log_format: Literal["auto", "pretty", "json"] = variable(
        "RAG_LOG_FORMAT", "auto", "auto: pretty on a terminal, one JSON object a line otherwise."
    )
    log_queries: bool = variable(
        "RAG_LOG_QUERIES", True, "Whether the log holds the text of a search, or only a digest of it."
    )

    @model_validator(mode="after")
    def _needs_azure_endpoint(self) -> Settings:
        if self.backend == "azure" and not self.azure_search_endpoint:
            raise ValueError(
                f"AZURE_SEARCH_ENDPOINT is not set. RAG_BACKEND=azure needs it, {set_up(READER)}, or set "
                "RAG_BACKEND=local to run without Azure"
            )
        insecure = (self.azure_search_endpoint or "").startswith("http:")
        if self.backend == "azure" and insecure and not self.azure_search_api_key:
            raise ValueError(
                "AZURE_SEARCH_API_KEY is not set. Without a key an Azure identity signs in, whose tokens are only sent "
                "over https, and AZURE_SEARCH_ENDPOINT is not https. Set the key"
            )
        return self

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("data_dir", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        try:
            return value.expanduser().absolute()
        except RuntimeError as error:
            raise ValueError(
                f"is {str(value)!r}, but there is no such home folder. Write the whole path"
            ) from error

    @field_validator("groups", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part for one in value.split(",") if (part := one.strip()))
        return value

    @property
    def shows_pages(self) -> bool:
        """Whether the index in force gives pages as pictures."""
        held = self.azure_pages and self.azure_storage_container_url is not None
        return self.backend != "azure" or held

    def masked(self) -> dict[str, str]:
        """Every variable with its value in force, secrets as asterisks; empty where unset."""
        return {
            str(field.validation_alias): _masked_value(getattr(self, name))
            for name, field in fields().items()
        }

    @property
    def given(self) -> dict[str, Any]:
        """Variables that are set, with their values; all others have their default."""
        return {
            str(field.validation_alias): getattr(self, name)
            for name, field in fields().items()
            if name in self.model_fields_set
        }


def fields() -> dict[str, FieldInfo]:
    """Its own fields first, those of the parts after them."""
    own = {
        name: Settings.model_fields[name]
        for name in Settings.__annotations__
        if name in Settings.model_fields
    }
    return own | Settings.model_fields


def variables() -> dict[str, str]:
    """Every variable with its description, in the order of the model."""
    return {str(one.validation_alias): one.description or "" for one in fields().values()}


def where(settings: Settings) -> str:
    """The index that answers, for a person: its folder or its service."""
    if settings.backend == "azure":
        return f"{settings.azure_search_endpoint} ({settings.azure_search_content_index})"
    return str(settings.data_dir)


def load_settings(*, azure: bool = False, changed: Mapping[str, str] | None = None) -> Settings:
    """The settings in force, with those of `changed` in place of the environment's. Raises NotConfigured that names the
    variable and the cure.

    Unknown RAG_ names are warned of on standard error, and refused where they nearly match a known one. `azure` is for
    commands that ask the service whatever RAG_BACKEND says; then this holds for AZURE_SEARCH_ names too.
    """
    environment = {**os.environ, **(changed or {})}
    names = [name for name, value in environment.items() if value]  # an empty one counts as unset
    check_names(names, variables(), azure=azure or environment.get("RAG_BACKEND") == "azure")
    try:
        return Settings(**(changed or {}))  # type: ignore[arg-type]
    except ValidationError as error:
        raise NotConfigured("\n".join(problem(one) for one in error.errors())) from None


def no_color() -> bool:
    """Whether NO_COLOR asks every program for text without styles; an empty value asks for nothing."""
    return bool(os.environ.get("NO_COLOR"))


def check_variable(name: str) -> None:
    """Raises NotConfigured for a name that is no setting."""
    if name not in variables():
        near = near_match(name, variables())
        cure = f"Did you mean {near}?" if near else "`ibid config` names them all."
        raise NotConfigured(f"{escaped_name(name)} is not a setting. {cure}")


def folder_variables() -> dict[str, str]:
    """What the environment says of where programs keep their settings, on each system."""
    names = ("APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME")
    return {name: os.environ[name] for name in names if name in os.environ}


def _masked_value(value: object) -> str:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, tuple):
        paths = any(isinstance(one, Path) for one in value)
        return (os.pathsep if paths else ",").join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
