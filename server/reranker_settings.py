"""Settings of rerankers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from corpus.reranking.protocol import RerankerChoice
from server.setting_fields import SettingsPart, address, key, variable


class RerankerSettings(SettingsPart):
    """A second look at the best hits. Nothing here touches the network unless RAG_RERANKER asks for it."""

    reranker: Literal["none", "http", "fastembed"] = variable(
        "RAG_RERANKER",
        "none",
        "What puts the best hits in order once more: none, http (a service that speaks as Cohere, Jina and vLLM do; "
        "passages are sent there), or fastembed (a cross-encoder that runs here).",
    )
    reranker_model: str | None = variable(
        "RAG_RERANKER_MODEL", None, "Name of the reranker's model; a service with one model may need none."
    )
    reranker_url: str | None = variable(
        "RAG_RERANKER_URL", None, "Whole address for RAG_RERANKER=http, such as https://HOST/v1/rerank."
    )
    reranker_api_key: SecretStr | None = variable("RAG_RERANKER_API_KEY", None, "Its key, if it needs one.")
    reranker_folder: Path | None = variable(
        "RAG_RERANKER_FOLDER",
        None,
        "Folder with the model's files for RAG_RERANKER=fastembed. Unset: the first use downloads them.",
    )
    reranker_candidates: int = Field(
        default=30,
        ge=2,
        le=100,
        validation_alias="RAG_RERANKER_CANDIDATES",
        description="How many of the best hits it is given.",
    )

    @field_validator("reranker_api_key", mode="after")
    @classmethod
    def _reranker_key(cls, value: SecretStr | None) -> SecretStr | None:
        return key(value)

    @field_validator("reranker_url", mode="after")
    @classmethod
    def _reranker_address(cls, value: str | None) -> str | None:
        try:
            return None if value is None else address(value, path=True, example="https://HOST/v1/rerank")
        except ValueError as error:
            raise ValueError(f"{error}. A key goes into RAG_RERANKER_API_KEY") from None

    @model_validator(mode="after")
    def _reranker_complete(self) -> RerankerSettings:
        if self.reranker == "http" and not self.reranker_url:
            raise ValueError(
                "RAG_RERANKER_URL is not set. RAG_RERANKER=http needs it, such as https://HOST/v1/rerank"
            )
        if self.reranker == "fastembed" and not self.reranker_model:
            raise ValueError(
                "RAG_RERANKER_MODEL is not set. RAG_RERANKER=fastembed needs it, such as BAAI/bge-reranker-base"
            )
        return self

    def reranker_choice(self) -> RerankerChoice:
        """What `corpus.reranking.choose` takes."""
        secret = self.reranker_api_key
        return RerankerChoice(
            self.reranker,
            self.reranker_model,
            self.reranker_url,
            secret.get_secret_value() if secret else None,
            self.reranker_folder,
        )
