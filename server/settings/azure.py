"""Settings of Azure AI Search and of an Azure OpenAI resource."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from server.settings.checks import Address, Key, SettingsPart, address, comma_separated, container_address, variable

ENDPOINT = "https://NAME.search.windows.net"
READER = "Search Index Data Reader"
_INDEX_NAME = re.compile(r"[a-z0-9](?:[a-z0-9]|-(?!-)){0,126}[a-z0-9]")
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")

FieldNames = Annotated[tuple[str, ...] | None, NoDecode]


def set_up(role: str, key: str = "a key") -> str:
    """Return the advice for a message about a missing endpoint: an example of an endpoint, and the kind of `key` or the
    `role` that is needed."""
    return (
        f"such as {ENDPOINT} (the Overview page of the service shows it), and {key} in AZURE_SEARCH_API_KEY, or no key "
        f"and a signed-in identity with the role {role}"
    )


class AzureSettings(SettingsPart):
    """Settings of the service and its indexes. They include the index schema, for credentials that may not read it."""

    azure_search_endpoint: str | None = variable(
        "AZURE_SEARCH_ENDPOINT",
        None,
        "Address of the Azure AI Search service; required by RAG_BACKEND=azure.",
    )
    azure_search_api_key: Key | None = variable(
        "AZURE_SEARCH_API_KEY",
        None,
        "API key of the search service; a query key is enough. Unset: DefaultAzureCredential.",
    )
    azure_search_content_index: str = variable(
        "AZURE_SEARCH_CONTENT_INDEX", "content-blocks", "Name of the index of content blocks."
    )
    azure_search_documents_index: str = variable(
        "AZURE_SEARCH_DOCUMENTS_INDEX", "documents-metadata", "Name of the index of documents."
    )
    azure_search_audience: str | None = variable(
        "AZURE_SEARCH_AUDIENCE",
        None,
        "Token audience in a sovereign cloud, such as https://search.azure.us.",
    )
    azure_vector_fields: FieldNames = variable(
        "RAG_AZURE_VECTOR_FIELDS",
        None,
        "Vector fields of the content index, separated by commas, or none. Unset: read from the index if the "
        "credential may read its definition, otherwise none.",
    )
    azure_semantic_config: str | None = variable(
        "RAG_AZURE_SEMANTIC_CONFIG",
        None,
        "Semantic configuration of the content index, or none. Unset: read from the index if the credential may read "
        "its definition, otherwise none.",
    )
    azure_embedder: str | None = variable(
        "RAG_AZURE_EMBEDDER",
        None,
        "Model that produced the vectors in the index: the id of this server's embedder (`ibid doctor` prints it), or "
        "vectorizer for the index's own vectorizer. Unset: the index's vectorizer if it has one, otherwise keyword "
        "search only.",
    )

    azure_knowledge_base: str | None = variable(
        "RAG_AZURE_KNOWLEDGE_BASE",
        None,
        "Knowledge base that runs the searches (agentic retrieval). It must read only the content index, and the "
        "credential must be allowed to verify that; otherwise Ibid searches the index itself.",
    )
    azure_caller_token: bool = variable(
        "RAG_AZURE_CALLER_TOKEN",
        False,
        "Forward the HTTP caller's token to the service (x-ms-query-source-authorization), for an index with "
        "permission fields. Ibid's own access filter still applies.",
    )
    azure_on_behalf_of: str | None = variable(
        "RAG_AZURE_ON_BEHALF_OF",
        None,
        "Application (client) id with which Ibid exchanges the HTTP caller's token for a token of Azure AI Search, "
        "which it forwards. Requires RAG_AUTH_PRESET=entra. Callers whose token cannot be exchanged read nothing.",
    )
    azure_on_behalf_of_secret: Key | None = variable(
        "RAG_AZURE_ON_BEHALF_OF_SECRET",
        None,
        "Client secret of that application. Unset: DefaultAzureCredential, as the application's federated credential.",
    )

    azure_storage_container_url: SecretStr | None = variable(
        "AZURE_STORAGE_CONTAINER_URL",
        None,
        "Private Azure Blob Storage container for pictures: `ibid azure push` uploads them, and the server signs "
        "URLs for each answer. Access uses DefaultAzureCredential, AZURE_STORAGE_ACCOUNT_KEY if set, or a shared "
        "access signature in the URL, which cannot sign further URLs. Unset: no pictures.",
    )
    azure_storage_account_key: Key | None = variable(
        "AZURE_STORAGE_ACCOUNT_KEY", None, "Key of the storage account. Unset: DefaultAzureCredential."
    )
    azure_pages: bool = variable(
        "RAG_AZURE_PAGES",
        False,
        "The container has page images (`ibid azure push --pages`): offer rag_show_page.",
    )

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
            raise ValueError("is not an index name. Use 2 to 128 characters: a-z, 0-9, and single dashes between them")
        return value

    @field_validator("azure_knowledge_base", mode="after")
    @classmethod
    def _knowledge_base_name(cls, value: str | None) -> str | None:
        if value is not None and not _INDEX_NAME.fullmatch(value):
            raise ValueError(
                "is not a knowledge base name. Use 2 to 128 lower-case letters and digits, with single dashes between "
                "them"
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
        names = comma_separated(value)
        if any(not _FIELD_NAME.fullmatch(name) for name in names):
            raise ValueError("takes field names, separated by commas, or none")
        return () if names == ("none",) else names

    @model_validator(mode="after")
    def _two_indexes(self) -> AzureSettings:
        if self.azure_search_content_index == self.azure_search_documents_index:
            raise ValueError(
                "AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX both name the index "
                f"{self.azure_search_content_index}. Blocks and documents need separate indexes: name two"
            )
        return self


class AzureOpenAISettings(SettingsPart):
    """Settings of the Azure OpenAI resource, which embedder and language model share."""

    azure_openai_endpoint: Address | None = variable(
        "AZURE_OPENAI_ENDPOINT",
        None,
        "Address of the Azure OpenAI resource; required by RAG_EMBEDDER=azure-openai and RAG_LLM=azure-openai.",
    )
    azure_openai_api_key: Key | None = variable(
        "AZURE_OPENAI_API_KEY", None, "Key of the Azure OpenAI resource. Unset: DefaultAzureCredential."
    )
    azure_openai_api_version: str = variable("AZURE_OPENAI_API_VERSION", "2024-10-21", "API version of Azure OpenAI.")
