"""Settings of the folders that a server reads by itself, and of how much one run takes in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from server.settings.checks import SettingsPart, variable


class FolderSettings(SettingsPart):
    """A part of `server.settings.model.Settings`."""

    documents: Annotated[tuple[Path, ...], NoDecode] = variable(
        "RAG_DOCUMENTS",
        (),
        "Folders that `ibid serve` reads into the local index and keeps up with, separated as in PATH (`:`, on Windows "
        "`;`).",
    )
    documents_allow: Annotated[tuple[str, ...], NoDecode] = variable(
        "RAG_DOCUMENTS_ALLOW",
        (),
        "Who may read the new documents there, separated by commas, such as user:ann. Unset: everybody.",
    )
    documents_prune: bool = variable(
        "RAG_DOCUMENTS_PRUNE",
        False,
        "Whether documents whose files vanish there leave the index. Never for a whole folder that is gone or empty.",
    )
    image_urls: Literal["rag", "file"] = variable(
        "RAG_IMAGE_URLS",
        "rag",
        "How pictures are addressed over stdio: rag, as resources of this server, or file, in a private folder that "
        "keeps them for a day; pages are addressed in their files then. Over HTTP they have addresses of their own.",
    )
    follow_links: bool = variable(
        "RAG_FOLLOW_LINKS",
        False,
        "Whether links that lead out of an ingested folder are followed.",
    )
    max_files: int = Field(
        default=20_000,
        ge=1,
        validation_alias="RAG_MAX_FILES",
        description="Most files that can be read under the folders of one ingestion.",
    )
    max_gigabytes: float = Field(
        default=50.0,
        gt=0,
        validation_alias="RAG_MAX_GIGABYTES",
        description="Most gigabytes that they may have together.",
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
            raise ValueError("names a home folder that is not there. Write the whole path") from error

    @field_validator("documents_allow", mode="before")
    @classmethod
    def _principals(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part for one in value.split(",") if (part := one.strip()))
        return value
