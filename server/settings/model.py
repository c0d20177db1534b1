"""All settings in one frozen model, which is loaded from the environment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_dir
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import NoDecode, SettingsConfigDict

from corpus.errors import NotConfigured
from server.identity.entra import tenant_of
from server.settings.azure import READER, AzureSettings, set_up
from server.settings.checks import (
    Listed,
    SettingsPart,
    check_names,
    escaped_name,
    near_match,
    problem,
    variable,
)
from server.settings.http import HttpSettings, LimitsSettings
from server.settings.identity import IdentitySettings
from server.settings.model_services import EmbedderSettings, LlmSettings, RerankerSettings
from server.settings.telemetry import LangfuseSettings, TracingSettings


class FolderSettings(SettingsPart):
    """Settings for watched folders, for picture URLs over stdio, and for the limits of an ingestion."""

    documents: Annotated[tuple[Path, ...], NoDecode] = variable(
        "RAG_DOCUMENTS",
        (),
        "Folders that `ibid serve` ingests into the local index and watches, separated as in PATH (`:`, on Windows "
        "`;`).",
    )
    documents_allow: Listed = variable(
        "RAG_DOCUMENTS_ALLOW",
        (),
        "Who may read new documents in RAG_DOCUMENTS, separated by commas, such as user:ann. Unset: everybody.",
    )
    documents_prune: bool = variable(
        "RAG_DOCUMENTS_PRUNE",
        False,
        "Remove documents from the index when their files in RAG_DOCUMENTS are deleted. If a folder is missing or "
        "completely empty, none of its documents are removed.",
    )
    image_urls: Literal["rag", "file"] = variable(
        "RAG_IMAGE_URLS",
        "rag",
        "URLs of pictures over stdio: rag (resources of this server), or file (files in a private folder, kept for a "
        "day; page links then open the document file). Over HTTP the server signs its own URLs.",
    )
    follow_links: bool = variable(
        "RAG_FOLLOW_LINKS",
        False,
        "Follow symbolic links that lead out of an ingested folder.",
    )
    max_files: int = Field(
        default=20_000,
        ge=1,
        validation_alias="RAG_MAX_FILES",
        description="Maximum number of files in one ingestion.",
    )
    max_gigabytes: float = Field(
        default=50.0,
        gt=0,
        validation_alias="RAG_MAX_GIGABYTES",
        description="Maximum total size of the files in one ingestion, in gigabytes.",
    )

    @field_validator("documents", mode="before")
    @classmethod
    def _folders(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(Path(part.strip()) for part in value.split(os.pathsep) if part.strip())
        return value

    @field_validator("documents", mode="after")
    @classmethod
    def _whole_paths(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        try:
            return tuple(Path(os.path.abspath(path.expanduser())) for path in value)
        except RuntimeError as error:
            raise ValueError("names a home folder that does not exist. Write the full path") from error


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
    """The settings of this process. `load_settings` reads them once; callers pass them on."""

    model_config = SettingsConfigDict(frozen=True, env_ignore_empty=True, case_sensitive=True, extra="ignore")

    backend: Literal["local", "azure"] = variable(
        "RAG_BACKEND",
        "local",
        "Search index: local (embedded in the process), or azure (an Azure AI Search service).",
    )
    data_dir: Path = Field(
        default_factory=lambda: Path(user_data_dir("ibid", appauthor=False)),
        validation_alias="RAG_DATA_DIR",
        description="Folder of the local index. Default: the user's application data folder.",
    )
    ocr: Literal["auto", "off"] = variable(
        "RAG_OCR",
        "auto",
        "OCR of scanned pages and figures, which runs after all existing text has been read: auto or off.",
    )
    user_id: str | None = variable(
        "RAG_USER_ID",
        None,
        "User id of the caller over stdio. Without any identity, only public documents are visible.",
    )
    department: str | None = variable("RAG_DEPARTMENT", None, "Department of the caller over stdio.")
    org_id: str | None = variable("RAG_ORG_ID", None, "Organisation of the caller over stdio.")
    groups: Listed = variable("RAG_GROUPS", (), "Groups of the caller over stdio, separated by commas.")
    principal_prefixes: bool | None = variable(
        "RAG_PRINCIPAL_PREFIXES",
        None,
        "Access lists distinguish user:, department:, org: and group:. Fixed when an index is created; unset: true "
        "for a new index.",
    )
    allow_unfiltered: bool = variable(
        "RAG_ALLOW_UNFILTERED",
        False,
        "Disable all access rules, to test an index. Warns at each start.",
    )
    page_label: str = Field(
        default="S.",
        max_length=20,
        validation_alias="RAG_PAGE_LABEL",
        description="Label before page numbers in citations; auto: S. in German, otherwise p.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = variable(
        "RAG_LOG_LEVEL", "INFO", "Minimum severity of log lines, which go to standard error."
    )
    log_format: Literal["auto", "pretty", "json"] = variable(
        "RAG_LOG_FORMAT",
        "auto",
        "Format of the log; auto: pretty on a terminal, otherwise one JSON object per line.",
    )
    log_queries: bool = variable("RAG_LOG_QUERIES", True, "Log the text of searches; false: only a digest.")

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
                "AZURE_SEARCH_API_KEY is not set. Without it, an Azure identity signs in. Its tokens need https, but "
                "AZURE_SEARCH_ENDPOINT is not https. Set the key"
            )
        return self

    @model_validator(mode="after")
    def _knows_whose_tokens_are_exchanged(self) -> Settings:
        tenant = tenant_of(self.auth_issuer or "") if self.auth_preset == "entra" else None
        if self.azure_on_behalf_of and not tenant:
            raise ValueError(
                "RAG_AZURE_ON_BEHALF_OF exchanges tokens of one tenant of Entra ID. Set RAG_AUTH_PRESET=entra and "
                "RAG_AUTH_ISSUER=https://login.microsoftonline.com/TENANT/v2.0, or unset it"
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
            raise ValueError(f"is {str(value)!r}, but that home folder does not exist. Write the full path") from error

    @property
    def sends_caller_tokens(self) -> bool:
        """Return whether the index needs the callers' own tokens."""
        return self.backend == "azure" and (self.azure_caller_token or self.azure_on_behalf_of is not None)

    @property
    def shows_pages(self) -> bool:
        """Return whether the configured index has page images."""
        return self.backend != "azure" or (self.azure_pages and self.azure_storage_container_url is not None)

    def masked(self) -> dict[str, str]:
        """Return every variable with its effective value. Secrets are masked with asterisks, and unset values are
        empty."""
        return {str(field.validation_alias): _masked_value(getattr(self, name)) for name, field in fields().items()}

    @property
    def explicit(self) -> dict[str, Any]:
        """Return only the variables that are set explicitly, with their values."""
        return {
            str(field.validation_alias): getattr(self, name)
            for name, field in fields().items()
            if name in self.model_fields_set
        }


def fields() -> dict[str, FieldInfo]:
    """Return all fields by name: those of `Settings` itself first, then those of its parts."""
    own = {name: Settings.model_fields[name] for name in Settings.__annotations__ if name in Settings.model_fields}
    return own | Settings.model_fields


def variables() -> dict[str, str]:
    """Return every variable with its description, in the order of the model."""
    return {str(field.validation_alias): field.description or "" for field in fields().values()}


def where(settings: Settings) -> str:
    """Return a description of the index's location for people: its folder or its service."""
    if settings.backend == "azure":
        return f"{settings.azure_search_endpoint} ({settings.azure_search_content_index})"
    return str(settings.data_dir)


def load_settings(*, azure: bool = False, changed: Mapping[str, str] | None = None) -> Settings:
    """Load the settings from the environment; `changed` overrides it. Raise NotConfigured with the variable and advice
    if a setting is invalid.

    Warn on standard error about unknown RAG_ names, and reject near matches of known names. Commands that use the
    service regardless of RAG_BACKEND set `azure`; the AZURE_SEARCH_ names are then checked too.
    """
    environment = {**os.environ, **(changed or {})}
    names = [name for name, value in environment.items() if value]  # an empty variable counts as unset
    check_names(names, variables(), azure=azure or environment.get("RAG_BACKEND") == "azure")
    try:
        return Settings(**(changed or {}))  # type: ignore[arg-type]
    except ValidationError as error:
        raise NotConfigured("\n".join(problem(fault) for fault in error.errors())) from None


def any_is_set(names: Iterable[str]) -> bool:
    """Return whether the environment sets one of these variables to a non-empty value."""
    return any(map(os.environ.get, names))


def environment_without(prefixes: tuple[str, ...]) -> dict[str, str]:
    """Return the environment for another process, without the variables whose names begin with one of `prefixes`."""
    return {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}


def no_color() -> bool:
    """Return whether NO_COLOR requests unstyled output. An empty value does not count."""
    return bool(os.environ.get("NO_COLOR"))


def check_variable(name: str) -> None:
    """Raise NotConfigured if `name` is not a setting."""
    if name not in variables():
        near = near_match(name, variables())
        cure = f"Did you mean {near}?" if near else "`ibid config` lists all settings."
        raise NotConfigured(f"{escaped_name(name)} is not a setting. {cure}")


def folder_variables() -> dict[str, str]:
    """Return the environment variables that contain the folders in which programs store their configuration on the
    supported systems."""
    names = ("APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME")
    return {name: os.environ[name] for name in names if name in os.environ}


def _masked_value(value: object) -> str:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, tuple):
        paths = any(isinstance(item, Path) for item in value)
        return (os.pathsep if paths else ",").join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
