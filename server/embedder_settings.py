"""Settings of embedders."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from corpus.embedding.protocol import EmbedderChoice
from server.azure_openai_settings import AzureOpenAISettings
from server.setting_fields import address, key, variable


class EmbedderSettings(AzureOpenAISettings):
    """Where vectors come from. Nothing here touches the network unless RAG_EMBEDDER asks for it."""

    embedder: Literal["packaged", "none", "openai", "azure-openai", "fastembed"] = variable(
        "RAG_EMBEDDER",
        "packaged",
        "Where vectors come from: packaged (the model in the box), none (search by words), openai (any service that "
        "speaks its protocol), azure-openai, or fastembed. The last three need RAG_EMBEDDER_MODEL.",
    )
    embedder_model: str | None = variable(
        "RAG_EMBEDDER_MODEL", None, "Name of the embedding model, such as text-embedding-3-small."
    )
    embedder_dimensions: int | None = Field(
        default=None,
        ge=2,
        le=4096,
        validation_alias="RAG_EMBEDDER_DIMENSIONS",
        description="Length of its vectors, where the model is not a known one or can give shorter ones.",
    )
    embedder_base_url: str = variable(
        "RAG_EMBEDDER_BASE_URL",
        "https://api.openai.com/v1",
        "Address of the service for RAG_EMBEDDER=openai.",
    )
    embedder_api_key: SecretStr | None = variable("RAG_EMBEDDER_API_KEY", None, "Its key, if it needs one.")
    embedder_folder: Path | None = variable(
        "RAG_EMBEDDER_FOLDER",
        None,
        "Folder with the model's files for RAG_EMBEDDER=fastembed. Unset: the first use downloads them.",
    )
    azure_openai_deployment: str | None = variable(
        "AZURE_OPENAI_EMBEDDING_DEPLOYMENT",
        None,
        "Name of the deployment of RAG_EMBEDDER_MODEL there, where it is not the model's name.",
    )

    @field_validator("embedder_api_key", mode="after")
    @classmethod
    def _model_key(cls, value: SecretStr | None) -> SecretStr | None:
        return key(value)

    @field_validator("embedder_base_url", mode="after")
    @classmethod
    def _model_address(cls, value: str) -> str:
        return address(value, path=True)

    @model_validator(mode="after")
    def _complete(self) -> EmbedderSettings:
        if self.embedder in ("openai", "azure-openai", "fastembed") and not self.embedder_model:
            raise ValueError(
                f"RAG_EMBEDDER_MODEL is not set. RAG_EMBEDDER={self.embedder} needs the name of its model, "
                "such as text-embedding-3-small"
            )
        if self.embedder == "azure-openai" and not self.azure_openai_endpoint:
            raise ValueError(
                "AZURE_OPENAI_ENDPOINT is not set. RAG_EMBEDDER=azure-openai needs it, "
                "such as https://NAME.openai.azure.com"
            )
        return self

    def choice(self, token: Callable[[], Awaitable[str]] | None = None) -> EmbedderChoice:
        """What `corpus.embedding.choose` takes. `token` gives access tokens for Azure OpenAI, where no key is set."""
        azure = self.embedder == "azure-openai"
        return EmbedderChoice(
            name=self.embedder,
            model=self.embedder_model,
            dimensions=self.embedder_dimensions,
            base_url=self.embedder_base_url,
            api_key=_plain(self.azure_openai_api_key if azure else self.embedder_api_key),
            folder=self.embedder_folder,
            endpoint=self.azure_openai_endpoint,
            deployment=self.azure_openai_deployment,
            api_version=self.azure_openai_api_version,
            token=token,
        )


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
