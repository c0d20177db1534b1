"""Settings of watched folders and of the size of an ingestion."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from server.settings.checks import SettingsPart, comma_separated, variable


class FolderSettings(SettingsPart):
    """Watched folders, picture addresses over stdio, and limits of an ingestion."""

    documents: Annotated[tuple[Path, ...], NoDecode] = variable(
        "RAG_DOCUMENTS",
        (),
        "Folders that `ibid serve` ingests into the local index and watches, separated as in PATH (`:`, on Windows "
        "`;`).",
    )
    documents_allow: Annotated[tuple[str, ...], NoDecode] = variable(
        "RAG_DOCUMENTS_ALLOW",
        (),
        "Who may read new documents in RAG_DOCUMENTS, separated by commas, such as user:ann. Unset: everybody.",
    )
    documents_prune: bool = variable(
        "RAG_DOCUMENTS_PRUNE",
        False,
        "Remove documents from the index when their files in RAG_DOCUMENTS are deleted. A folder that is missing or "
        "empty as a whole removes nothing.",
    )
    image_urls: Literal["rag", "file"] = variable(
        "RAG_IMAGE_URLS",
        "rag",
        "URLs of pictures over stdio: rag (resources of this server), or file (files in a private folder, kept for a "
        "day; page links then open the document file). Over HTTP the server signs URLs of its own.",
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
            raise ValueError("names a home folder that does not exist. Write the whole path") from error

    @field_validator("documents_allow", mode="before")
    @classmethod
    def _principals(cls, value: object) -> object:
        if isinstance(value, str):
            return comma_separated(value)
        return value
