"""Settings of Azure AI Search and of an Azure OpenAI resource."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from server.settings.checks import SettingsPart, address, container_address, key, variable

ENDPOINT = "https://NAME.search.windows.net"
READER = "Search Index Data Reader"
_INDEX_NAME = re.compile(r"[a-z0-9](?:[a-z0-9]|-(?!-)){0,126}[a-z0-9]")
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")

FieldNames = Annotated[tuple[str, ...] | None, NoDecode]


def set_up(role: str, key: str = "a key") -> str:
    """What the service needs to be told, for whoever is to have this role or this kind of key."""
    return (
        f"such as {ENDPOINT} (the Overview page of the service shows it), and {key} in AZURE_SEARCH_API_KEY, or no key "
        f"and a signed-in identity with the role {role}"
    )


class AzureSettings(SettingsPart):
    """Which service, which indexes, and what they are like where the credential may not read that."""

    azure_search_endpoint: str | None = variable(
        "AZURE_SEARCH_ENDPOINT", None, "Address of the Azure AI Search service for RAG_BACKEND=azure."
    )
    azure_search_api_key: SecretStr | None = variable(
        "AZURE_SEARCH_API_KEY", None, "Its key; a query key is enough. Absent: DefaultAzureCredential."
    )
    azure_search_content_index: str = variable(
        "AZURE_SEARCH_CONTENT_INDEX", "content-blocks", "Its index of content blocks."
    )
    azure_search_documents_index: str = variable(
        "AZURE_SEARCH_DOCUMENTS_INDEX", "documents-metadata", "Its index of documents."
    )
    azure_search_audience: str | None = variable(
        "AZURE_SEARCH_AUDIENCE",
        None,
        "Audience of its tokens in a sovereign cloud, such as https://search.azure.us.",
    )
    azure_vector_fields: FieldNames = variable(
        "RAG_AZURE_VECTOR_FIELDS",
        None,
        "Vector fields of the content index, separated by commas, or none. Unset: read from the index where the "
        "credential may, else none.",
    )
    azure_semantic_config: str | None = variable(
        "RAG_AZURE_SEMANTIC_CONFIG",
        None,
        "Its semantic configuration, or none. Unset: read from the index where the credential may, else none.",
    )
    azure_embedder: str | None = variable(
        "RAG_AZURE_EMBEDDER",
        None,
        "The model that made its vectors: the id of this server's embedder (`ibid doctor` prints it), or vectorizer "
        "for the index's own. Unset: its own where the index has one, else search by words.",
    )

    azure_knowledge_base: str | None = variable(
        "RAG_AZURE_KNOWLEDGE_BASE",
        None,
        "Knowledge base of the service that searches are handed to (agentic retrieval). It must read the content index "
        "alone, and the credential must be allowed to see that; otherwise Ibid searches the index itself.",
    )
    azure_caller_token: bool = variable(
        "RAG_AZURE_CALLER_TOKEN",
        False,
        "Whether requests carry the caller's token of HTTP too (x-ms-query-source-authorization), for an index with "
        "permission fields. Ibid's own filter stays.",
    )

    azure_storage_container_url: SecretStr | None = variable(
        "AZURE_STORAGE_CONTAINER_URL",
        None,
        "Private container of Azure Blob Storage for the pictures of the index: `ibid azure push` uploads them, and a "
        "server signs an address for each answer. DefaultAzureCredential opens it, unless AZURE_STORAGE_ACCOUNT_KEY is "
        "set or the address carries a shared access signature, which signs none. Unset: no pictures.",
    )
    azure_storage_account_key: SecretStr | None = variable(
        "AZURE_STORAGE_ACCOUNT_KEY", None, "Key of the storage account. Absent: DefaultAzureCredential."
    )
    azure_pages: bool = variable(
        "RAG_AZURE_PAGES",
        False,
        "Whether the container holds pictures of pages (`ibid azure push --pages`), so that rag_show_page is offered.",
    )

    @field_validator("azure_search_api_key", "azure_storage_account_key", mode="after")
    @classmethod
    def _search_key(cls, value: SecretStr | None) -> SecretStr | None:
        return key(value)

    @field_validator("azure_search_endpoint", mode="after")
    @classmethod
    def _service_address(cls, value: str | None) -> str | None:
        return None if value is None else address(value, example=ENDPOINT)

    @field_validator("azure_search_audience", mode="after")
    @classmethod
    def _audience_address(cls, value: str | None) -> str | None:
        return None if value is None else address(value)

    @field_validator("azure_search_content_index", "azure_search_documents_index", mode="after")
    @classmethod
    def _index_name(cls, value: str) -> str:
        if not _INDEX_NAME.fullmatch(value):
            raise ValueError(
                "is no name of an index. It has 2 to 128 small letters, digits and single dashes between them"
            )
        return value

    @field_validator("azure_knowledge_base", mode="after")
    @classmethod
    def _knowledge_base_name(cls, value: str | None) -> str | None:
        if value is not None and not _INDEX_NAME.fullmatch(value):
            raise ValueError(
                "is no name of a knowledge base. It has 2 to 128 small letters, digits and single dashes between them"
            )
        return value

    @field_validator("azure_storage_container_url", mode="after")
    @classmethod
    def _container(cls, value: SecretStr | None) -> SecretStr | None:
        return None if value is None else SecretStr(container_address(value.get_secret_value()))

    @field_validator("azure_vector_fields", mode="before")
    @classmethod
    def _field_names(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        names = tuple(part for one in value.split(",") if (part := one.strip()))
        if any(not _FIELD_NAME.fullmatch(name) for name in names):
            raise ValueError("takes names of fields, separated by commas, or none")
        return () if names == ("none",) else names

    @model_validator(mode="after")
    def _two_indexes(self) -> AzureSettings:
        if self.azure_search_content_index == self.azure_search_documents_index:
            raise ValueError(
                "AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX both name the index "
                f"{self.azure_search_content_index}. Blocks and documents are in an index each: name two"
            )
        return self


class AzureOpenAISettings(SettingsPart):
    """A part of `server.settings.model.Settings`, shared by embedder and language model."""

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
