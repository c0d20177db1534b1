"""Settings of an Azure OpenAI resource, for embeddings and for text."""

from __future__ import annotations

from pydantic import SecretStr, field_validator

from server.setting_fields import SettingsPart, address, key, variable


class AzureOpenAISettings(SettingsPart):
    """A part of `server.settings.Settings`, shared by embedder and language model."""

    azure_openai_endpoint: str | None = variable(
        "AZURE_OPENAI_ENDPOINT",
        None,
        "Address of the Azure OpenAI resource for RAG_EMBEDDER=azure-openai and RAG_LLM=azure-openai.",
    )
    azure_openai_api_key: SecretStr | None = variable(
        "AZURE_OPENAI_API_KEY", None, "Its key. Absent: DefaultAzureCredential."
    )
    azure_openai_api_version: str = variable(
        "AZURE_OPENAI_API_VERSION", "2024-10-21", "API version of Azure OpenAI."
    )

    @field_validator("azure_openai_api_key", mode="after")
    @classmethod
    def _azure_openai_key(cls, value: SecretStr | None) -> SecretStr | None:
        return key(value)

    @field_validator("azure_openai_endpoint", mode="after")
    @classmethod
    def _azure_openai_address(cls, value: str | None) -> str | None:
        return None if value is None else address(value, path=True)
