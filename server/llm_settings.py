"""Settings of the language model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from prompts.texts import prompt_texts
from server.azure_openai_settings import AzureOpenAISettings
from server.setting_fields import address, key, variable


class LlmSettings(AzureOpenAISettings):
    """No text and no picture goes to a model unless one of these asks for it."""

    llm: Literal["openai", "azure-openai"] = variable(
        "RAG_LLM",
        "openai",
        "Where RAG_LLM_MODEL is: openai (any service that speaks its protocol, at RAG_LLM_BASE_URL), or azure-openai "
        "(at AZURE_OPENAI_ENDPOINT, with AZURE_OPENAI_API_KEY or an identity).",
    )
    llm_base_url: str = variable(
        "RAG_LLM_BASE_URL",
        "https://api.openai.com/v1",
        "Address of the service of RAG_LLM_MODEL: OpenAI, or any that speaks its protocol, such as Ollama "
        "(`http://localhost:11434/v1`), vLLM or a LiteLLM proxy.",
    )
    llm_api_key: SecretStr | None = variable("RAG_LLM_API_KEY", None, "Its key, if it needs one.")
    llm_model: str | None = variable("RAG_LLM_MODEL", None, "Name of the model that writes.")
    azure_openai_chat_deployment: str | None = variable(
        "AZURE_OPENAI_CHAT_DEPLOYMENT",
        None,
        "Name of the deployment of RAG_LLM_MODEL for RAG_LLM=azure-openai, where it is not the model's name.",
    )
    llm_generate: bool | None = variable(
        "RAG_LLM_GENERATE",
        None,
        "Whether the tool `llm_generate` is listed. Unset: where RAG_LLM_MODEL is set. With true and without that, the "
        "client's own model writes.",
    )
    sampling: Literal["auto", "off"] = variable(
        "RAG_SAMPLING",
        "auto",
        "Whether the client's own model may be asked to write: auto, where the client offers one and a tool needs it, "
        "or off.",
    )
    sampling_seconds: float = Field(
        default=20.0,
        ge=1,
        le=300,
        validation_alias="RAG_SAMPLING_SECONDS",
        description="How long the client's own model is waited for, a person's approval included. After that an answer "
        "is composed without it, and it is not asked again in the session.",
    )
    llm_context_tokens: int = Field(
        default=2000,
        ge=1000,
        le=32_000,
        validation_alias="RAG_LLM_CONTEXT_TOKENS",
        description="Tokens of a prompt for an answer: more take more of the sources along, and cost more.",
    )
    verifier: Literal["words", "model"] = variable(
        "RAG_VERIFIER",
        "words",
        "What decides on a claim that its source has in part: words alone (`partly`), or model, which sends claim and "
        "source to RAG_LLM_MODEL and marks the verdict as its own.",
    )
    verifier_seconds: float = Field(
        default=20.0,
        ge=1,
        le=300,
        validation_alias="RAG_VERIFIER_SECONDS",
        description="How long RAG_VERIFIER=model may take for all claims of one answer; then words decide the rest.",
    )
    prompts_dir: Path | None = variable(
        "RAG_PROMPTS_DIR",
        None,
        "Folder with prompts of yours, each in place of Ibid's own of the same name, such as `synthesis.md`; see "
        "prompts/README.md.",
    )
    llm_temperature: float = Field(
        default=0.2,
        ge=0,
        le=2,
        validation_alias="RAG_LLM_TEMPERATURE",
        description="How freely a model writes a cited answer: 0 the same each time, higher freer.",
    )
    keep_answers: int = Field(
        default=600,
        ge=0,
        le=86_400,
        validation_alias="RAG_KEEP_ANSWERS",
        description="Seconds that an answer which a model wrote serves the same question again, as long as its sources "
        "are the same and readable; 0 for never.",
    )
    describe_figures: bool = variable(
        "RAG_DESCRIBE_FIGURES",
        False,
        "Whether `ibid ingest` sends each figure to RAG_LLM_MODEL, which must see pictures, and adds what it says, "
        "marked as not the document's.",
    )
    model_summaries: bool = variable(
        "RAG_MODEL_SUMMARIES",
        False,
        "Whether `ibid ingest` lets RAG_LLM_MODEL write the summaries, from excerpts of each document; a note at the "
        "document says so.",
    )

    @field_validator("llm_api_key", mode="after")
    @classmethod
    def _llm_key(cls, value: SecretStr | None) -> SecretStr | None:
        return key(value)

    @field_validator("prompts_dir", mode="after")
    @classmethod
    def _usable_prompts(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        folder = Path(os.path.expanduser(value)).absolute()
        prompt_texts(folder)  # raises ValueError that names the file and the cure
        return folder

    @field_validator("llm_base_url", mode="after")
    @classmethod
    def _llm_address(cls, value: str) -> str:
        return address(value, path=True)

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
