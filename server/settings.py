"""The settings: one frozen model, and the only place that reads the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_dir
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from corpus.errors import NotConfigured
from server.setting_names import check_names, problem

Names = Annotated[tuple[str, ...], NoDecode]


def variable(name: str, default: Any, description: str) -> Any:
    return Field(default=default, validation_alias=name, description=description)


class Settings(BaseSettings):
    """What is in force for this process. Read once, by `load_settings`, and passed on."""

    model_config = SettingsConfigDict(frozen=True, env_ignore_empty=True, case_sensitive=True, extra="ignore")

    backend: Literal["local"] = variable(
        "RAG_BACKEND", "local", "Which index answers. This build has one: local, embedded in the process."
    )
    data_dir: Path = Field(
        default_factory=lambda: Path(user_data_dir("ibid", appauthor=False)),
        validation_alias="RAG_DATA_DIR",
        description="Folder of the local index. Default: the user's data folder of the system.",
    )
    embedder: Literal["packaged", "none"] = variable(
        "RAG_EMBEDDER",
        "packaged",
        "Where vectors come from: the packaged model, or none for search by words.",
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
        description="The word before a page number in citations.",
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
    azure_search_endpoint: str | None = variable(
        "AZURE_SEARCH_ENDPOINT",
        None,
        "Does nothing in this build, like the other AZURE_ ones: for RAG_BACKEND=azure, which is still to come. "
        "Address of the Azure AI Search service.",
    )
    azure_search_api_key: SecretStr | None = variable(
        "AZURE_SEARCH_API_KEY", None, "Its key. Absent: DefaultAzureCredential."
    )
    azure_search_content_index: str = variable(
        "AZURE_SEARCH_CONTENT_INDEX", "content-blocks", "Its index of content blocks."
    )
    azure_search_documents_index: str = variable(
        "AZURE_SEARCH_DOCUMENTS_INDEX", "documents-metadata", "Its index of documents."
    )

    @field_validator("backend", mode="before")
    @classmethod
    def _only_local(cls, value: object) -> object:
        if value == "azure":
            raise ValueError(
                "is 'azure', but this build has the local index only. Leave it out, or set local"
            )
        return value

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

    def masked(self) -> dict[str, str]:
        """Every variable with its value in force, secrets as asterisks; empty where unset."""
        return {
            str(field.validation_alias): _shown(getattr(self, name))
            for name, field in type(self).model_fields.items()
        }


def variables() -> dict[str, str]:
    """Every variable with its description, in the order of the model."""
    return {str(one.validation_alias): one.description or "" for one in Settings.model_fields.values()}


def load_settings() -> Settings:
    """The settings in force. Raises NotConfigured that names the variable and the cure.

    Unknown RAG_ names are warned of on standard error, and refused where they nearly match a known one.
    """
    check_names(os.environ, variables())
    try:
        return Settings()
    except ValidationError as error:
        raise NotConfigured("\n".join(problem(one) for one in error.errors())) from None


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
