"""The settings of the model that writes, a part of `server/settings.py`."""

from __future__ import annotations

from pydantic import SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from server.setting_fields import address, key, variable


class LlmSettings(BaseSettings):
    """No text and no picture goes to a model unless one of these asks for it."""

    llm_base_url: str = variable(
        "RAG_LLM_BASE_URL",
        "https://api.openai.com/v1",
        "Address of the service of RAG_LLM_MODEL: OpenAI, or any that speaks its protocol, such as Ollama "
        "(`http://localhost:11434/v1`), vLLM or a LiteLLM proxy.",
    )
    llm_api_key: SecretStr | None = variable("RAG_LLM_API_KEY", None, "Its key, if it needs one.")
    llm_model: str | None = variable("RAG_LLM_MODEL", None, "Name of the model that writes.")
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

    @field_validator("llm_base_url", mode="after")
    @classmethod
    def _llm_address(cls, value: str) -> str:
        return address(value, path=True)

    @model_validator(mode="after")
    def _a_model_is_named(self) -> LlmSettings:
        asked = [name for name in ("describe_figures", "model_summaries") if getattr(self, name)]
        if asked and not self.llm_model:
            raise ValueError(
                f"RAG_LLM_MODEL is not set. RAG_{asked[0].upper()}=true needs the name of a model, such as gpt-4o-mini"
            )
        return self
