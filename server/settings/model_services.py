"""Settings for the embedder, the reranker and the language model."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from corpus.embedding.protocol import EmbedderChoice
from corpus.reranking.protocol import RerankerChoice
from prompts.texts import prompt_texts
from server.settings.azure import AzureOpenAISettings
from server.settings.checks import Address, Key, SettingsPart, address, variable


class EmbedderSettings(AzureOpenAISettings):
    """The settings of the embedder. It uses the network only if RAG_EMBEDDER selects a service."""

    embedder: Literal["packaged", "none", "openai", "azure-openai", "fastembed"] = variable(
        "RAG_EMBEDDER",
        "packaged",
        "Embedder: packaged (the model that comes with Ibid), none (keyword search only), openai (any service with "
        "OpenAI's protocol), azure-openai, or fastembed. The last three need RAG_EMBEDDER_MODEL.",
    )
    embedder_model: str | None = variable(
        "RAG_EMBEDDER_MODEL", None, "Name of the embedding model, such as text-embedding-3-small."
    )
    embedder_dimensions: int | None = Field(
        default=None,
        ge=2,
        le=4096,
        validation_alias="RAG_EMBEDDER_DIMENSIONS",
        description="Dimensions of the vectors, if the model is unknown or can produce shorter ones.",
    )
    embedder_base_url: Address = variable(
        "RAG_EMBEDDER_BASE_URL",
        "https://api.openai.com/v1",
        "Address of the service for RAG_EMBEDDER=openai.",
    )
    embedder_api_key: Key | None = variable(
        "RAG_EMBEDDER_API_KEY", None, "Key of the embedding service, if it needs one."
    )
    embedder_folder: Path | None = variable(
        "RAG_EMBEDDER_FOLDER",
        None,
        "Folder with the model files for RAG_EMBEDDER=fastembed. Unset: downloaded on first use.",
    )
    azure_openai_deployment: str | None = variable(
        "AZURE_OPENAI_EMBEDDING_DEPLOYMENT",
        None,
        "Deployment of RAG_EMBEDDER_MODEL for RAG_EMBEDDER=azure-openai, if its name differs from the model's.",
    )

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
        """Return the arguments of `corpus.embedding.choose`. `token` provides access tokens for Azure OpenAI without a
        key."""
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


class RerankerSettings(SettingsPart):
    """The settings of the reranker. It uses the network only if RAG_RERANKER selects a service."""

    reranker: Literal["none", "http", "fastembed"] = variable(
        "RAG_RERANKER",
        "none",
        "Reranker of the best hits: none, http (a service with the protocol of Cohere, Jina and vLLM, which receives "
        "the passages), or fastembed (a local cross-encoder).",
    )
    reranker_model: str | None = variable(
        "RAG_RERANKER_MODEL",
        None,
        "Name of the reranking model; optional for a service with a single model.",
    )
    reranker_url: str | None = variable(
        "RAG_RERANKER_URL", None, "Full URL for RAG_RERANKER=http, such as https://HOST/v1/rerank."
    )
    reranker_api_key: Key | None = variable(
        "RAG_RERANKER_API_KEY", None, "Key of the reranking service, if it needs one."
    )
    reranker_folder: Path | None = variable(
        "RAG_RERANKER_FOLDER",
        None,
        "Folder with the model files for RAG_RERANKER=fastembed. Unset: downloaded on first use.",
    )
    reranker_candidates: int = Field(
        default=30,
        ge=2,
        le=100,
        validation_alias="RAG_RERANKER_CANDIDATES",
        description="Number of hits to rerank.",
    )

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
            raise ValueError("RAG_RERANKER_URL is not set. RAG_RERANKER=http needs it, such as https://HOST/v1/rerank")
        if self.reranker == "fastembed" and not self.reranker_model:
            raise ValueError(
                "RAG_RERANKER_MODEL is not set. RAG_RERANKER=fastembed needs it, such as BAAI/bge-reranker-base"
            )
        return self

    def reranker_choice(self) -> RerankerChoice:
        """Return the arguments of `corpus.reranking.choose`."""
        return RerankerChoice(
            self.reranker,
            self.reranker_model,
            self.reranker_url,
            _plain(self.reranker_api_key),
            self.reranker_folder,
        )


class LlmSettings(AzureOpenAISettings):
    """The settings of the language model. The model receives text and pictures only if one of these settings enables
    that."""

    llm: Literal["openai", "azure-openai"] = variable(
        "RAG_LLM",
        "openai",
        "Service of RAG_LLM_MODEL: openai (any service with OpenAI's protocol, at RAG_LLM_BASE_URL), or azure-openai "
        "(at AZURE_OPENAI_ENDPOINT, with AZURE_OPENAI_API_KEY or an identity).",
    )
    llm_base_url: Address = variable(
        "RAG_LLM_BASE_URL",
        "https://api.openai.com/v1",
        "Address of the service for RAG_LLM=openai: OpenAI, or any service with its protocol, such as Ollama "
        "(`http://localhost:11434/v1`), vLLM or a LiteLLM proxy.",
    )
    llm_api_key: Key | None = variable("RAG_LLM_API_KEY", None, "Key of the service of RAG_LLM_MODEL, if it needs one.")
    llm_model: str | None = variable("RAG_LLM_MODEL", None, "Name of the language model that writes answers.")
    azure_openai_chat_deployment: str | None = variable(
        "AZURE_OPENAI_CHAT_DEPLOYMENT",
        None,
        "Deployment of RAG_LLM_MODEL for RAG_LLM=azure-openai, if its name differs from the model's.",
    )
    llm_generate: bool | None = variable(
        "RAG_LLM_GENERATE",
        None,
        "List the tool `llm_generate`. Unset: only if RAG_LLM_MODEL is set. If true without RAG_LLM_MODEL, the "
        "client's own model writes.",
    )
    sampling: Literal["auto", "off"] = variable(
        "RAG_SAMPLING",
        "auto",
        "Use of the client's own model (MCP sampling): auto (if the client offers it and a tool needs it), or off.",
    )
    sampling_seconds: float = Field(
        default=20.0,
        ge=1,
        le=300,
        validation_alias="RAG_SAMPLING_SECONDS",
        description="Seconds to wait for the client's own model, including the user's approval. After that, Ibid "
        "composes the answer itself and does not ask that model again in the session.",
    )
    llm_context_tokens: int = Field(
        default=2000,
        ge=1000,
        le=32_000,
        validation_alias="RAG_LLM_CONTEXT_TOKENS",
        description="Tokens of the prompt for an answer. More tokens include more of the sources, and cost more.",
    )
    verifier: Literal["words", "model"] = variable(
        "RAG_VERIFIER",
        "words",
        "Verdict on a claim that its source supports only partly: words (the verdict is `partly`), or model, which "
        "sends claim and source to RAG_LLM_MODEL and marks the verdict as the model's.",
    )
    verifier_seconds: float = Field(
        default=20.0,
        ge=1,
        le=300,
        validation_alias="RAG_VERIFIER_SECONDS",
        description="Seconds that RAG_VERIFIER=model may take for all claims of one answer. After that, the remaining "
        "claims are checked as if RAG_VERIFIER were words.",
    )
    prompts_dir: Path | None = variable(
        "RAG_PROMPTS_DIR",
        None,
        "Folder of your prompts. Each replaces Ibid's prompt of the same name, such as `synthesis.md`; see "
        "prompts/README.md.",
    )
    llm_temperature: float = Field(
        default=0.2,
        ge=0,
        le=2,
        validation_alias="RAG_LLM_TEMPERATURE",
        description="Sampling temperature of a cited answer: 0 is deterministic, higher is freer.",
    )
    keep_answers: int = Field(
        default=600,
        ge=0,
        le=86_400,
        validation_alias="RAG_KEEP_ANSWERS",
        description="Seconds that a model's answer is reused for the same question, while its sources are unchanged "
        "and readable; 0: never.",
    )
    describe_figures: bool = variable(
        "RAG_DESCRIBE_FIGURES",
        False,
        "`ibid ingest` sends each figure to RAG_LLM_MODEL, which must accept images, and adds its description, "
        "marked as generated.",
    )
    model_summaries: bool = variable(
        "RAG_MODEL_SUMMARIES",
        False,
        "`ibid ingest` lets RAG_LLM_MODEL write the document summaries from excerpts. A note on the document says so.",
    )

    @field_validator("prompts_dir", mode="after")
    @classmethod
    def _usable_prompts(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        folder = Path(os.path.expanduser(value)).absolute()
        prompt_texts(folder)  # raises ValueError that names the file and the remedy
        return folder

    @model_validator(mode="after")
    def _needs_azure_openai(self) -> LlmSettings:
        if self.llm != "azure-openai":
            return self
        if not self.llm_model:
            raise ValueError(
                "RAG_LLM_MODEL is not set. RAG_LLM=azure-openai needs the name of its model, such as gpt-4o-mini"
            )
        if not self.azure_openai_endpoint:
            raise ValueError(
                "AZURE_OPENAI_ENDPOINT is not set. RAG_LLM=azure-openai needs it, such as https://NAME.openai.azure.com"
            )
        return self

    @model_validator(mode="after")
    def _somebody_judges(self) -> LlmSettings:
        if self.verifier == "model" and not self.llm_model:
            raise ValueError("RAG_VERIFIER=model needs a model. Set RAG_LLM_MODEL, or RAG_VERIFIER=words")
        return self

    @model_validator(mode="after")
    def _somebody_writes(self) -> LlmSettings:
        if self.llm_generate and not self.llm_model and self.sampling == "off":
            raise ValueError(
                "RAG_LLM_GENERATE=true needs a model. Set RAG_LLM_MODEL, or RAG_SAMPLING=auto for the client's own"
            )
        return self

    @model_validator(mode="after")
    def _needs_a_model(self) -> LlmSettings:
        wishes = [name for name in ("describe_figures", "model_summaries") if getattr(self, name)]
        if wishes and not self.llm_model:
            raise ValueError(
                f"RAG_LLM_MODEL is not set. RAG_{wishes[0].upper()}=true needs the name of a model, such as gpt-4o-mini"
            )
        return self
