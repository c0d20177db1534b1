"""The two indexes as Ibid makes them: every field of `fields.py` with its type and with what reading asks of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from azure.search.documents.indexes.models import (
    AzureOpenAIVectorizer,
    AzureOpenAIVectorizerParameters,
    HnswAlgorithmConfiguration,
    HnswParameters,
    SearchField,
    SearchIndex,
    SemanticConfiguration,
    SemanticField,
    SemanticPrioritizedFields,
    SemanticSearch,
    VectorSearch,
    VectorSearchProfile,
)

from corpus.index.azure.fields import (
    ALL_OF_BLOCKS,
    ALL_OF_DOCUMENTS,
    BLOCK_KEY,
    DOCUMENT_KEY,
    SEARCHED_OF_BLOCKS,
    SEARCHED_OF_DOCUMENTS,
    VECTORS,
)
from corpus.index.azure.mark import Mark

__all__ = ["SearchField", "SearchIndex", "Vectorizer", "content_index", "documents_index"]

ANALYZER = "standard.lucene"
SEMANTIC, PROFILE, ALGORITHM, VECTORIZER = "ibid", "by-meaning", "hnsw-cosine", "embedder"

_TEXT, _TEXTS, _WHOLE, _DATE = "Edm.String", "Collection(Edm.String)", "Edm.Int32", "Edm.DateTimeOffset"
_TYPES = {
    **dict.fromkeys(
        ("page_number", "page_count", "chunk_number", "start_line", "end_line", "char_start", "char_end"),
        _WHOLE,
    ),
    **dict.fromkeys(("upload_date", "document_date"), _DATE),
    **dict.fromkeys(("access_control_list", "warnings", "page_labels"), _TEXTS),
    "bbox": "Collection(Edm.Double)",
}
_FILTERED = frozenset(
    {
        "block_id", "doc_id", "access_control_list", "block_type", "page_number", "chunk_number", "language",
        "filename", "title", "document_type", "department", "author", "upload_date", "document_date", "page_count",
    }
)  # fmt: skip
_SORTED = frozenset(
    {
        "block_id", "doc_id", "filename", "title", "document_type", "upload_date", "document_date",
        "page_count", "page_number", "chunk_number",
    }
)  # fmt: skip
_COUNTED = frozenset({"document_type", "department", "author", "block_type"})
# So that they sort and compare as one case.
_ONE_CASE = frozenset({"filename", "title"})
# Stemming would tear names apart.
_NAMES = frozenset({"filename", "author", "department"})


@dataclass(frozen=True, slots=True)
class Vectorizer:
    """A deployment of Azure OpenAI that the service itself asks for the vector of a query. Without a key it signs in
    with the identity of the search service."""

    endpoint: str
    deployment: str
    model: str
    key: str | None = field(default=None, repr=False)


def content_index(
    name: str,
    *,
    dimensions: int | None,
    mark: Mark,
    analyzer: str = ANALYZER,
    semantic: bool = False,
    vectorizer: Vectorizer | None = None,
) -> SearchIndex:
    """The index of blocks; without `dimensions` it has no vectors."""
    fields = _fields(ALL_OF_BLOCKS, BLOCK_KEY, SEARCHED_OF_BLOCKS, analyzer)
    if dimensions is not None:
        fields += [_vector(one, dimensions) for one in VECTORS]
    return SearchIndex(
        name=name,
        description=str(mark),
        fields=fields,
        vector_search=_vector_search(vectorizer) if dimensions is not None else None,
        semantic_search=_semantic() if semantic else None,
    )


def documents_index(name: str, *, mark: Mark, analyzer: str = ANALYZER) -> SearchIndex:
    fields = _fields(ALL_OF_DOCUMENTS, DOCUMENT_KEY, SEARCHED_OF_DOCUMENTS, analyzer)
    return SearchIndex(name=name, description=str(mark), fields=fields)


def _fields(names: Iterable[str], key: str, searched: Iterable[str], analyzer: str) -> list[SearchField]:
    words = frozenset(searched)
    return [
        _field(name, key=name == key, analyzer=_analyzer(name, analyzer) if name in words else None)
        for name in names
    ]


def _analyzer(name: str, analyzer: str) -> str:
    return ANALYZER if name in _NAMES else analyzer


def _field(name: str, *, key: bool, analyzer: str | None) -> SearchField:
    """Everything that it can do is said: the service's own defaults differ by type."""
    can: dict[str, Any] = {
        "key": key,
        "retrievable": True,
        "searchable": analyzer is not None,
        "filterable": name in _FILTERED,
        "sortable": name in _SORTED,
        "facetable": name in _COUNTED,
    }
    if analyzer:
        can["analyzer_name"] = analyzer
    if name in _ONE_CASE:
        can["normalizer_name"] = "lowercase"
    return SearchField(name=name, type=_TYPES.get(name, _TEXT), **can)


def _vector(name: str, dimensions: int) -> SearchField:
    return SearchField(
        name=name,
        type="Collection(Edm.Single)",
        searchable=True,
        retrievable=False,
        filterable=False,
        sortable=False,
        facetable=False,
        vector_search_dimensions=dimensions,
        vector_search_profile_name=PROFILE,
    )


def _vector_search(vectorizer: Vectorizer | None) -> VectorSearch:
    name = VECTORIZER if vectorizer else None
    return VectorSearch(
        algorithms=[HnswAlgorithmConfiguration(name=ALGORITHM, parameters=HnswParameters(metric="cosine"))],
        profiles=[
            VectorSearchProfile(name=PROFILE, algorithm_configuration_name=ALGORITHM, vectorizer_name=name)
        ],
        vectorizers=[_asked(vectorizer)] if vectorizer else None,
    )


def _asked(vectorizer: Vectorizer) -> AzureOpenAIVectorizer:
    return AzureOpenAIVectorizer(
        vectorizer_name=VECTORIZER,
        parameters=AzureOpenAIVectorizerParameters(
            resource_url=vectorizer.endpoint,
            deployment_name=vectorizer.deployment,
            model_name=vectorizer.model,
            api_key=vectorizer.key,
        ),
    )


def _semantic() -> SemanticSearch:
    fields = SemanticPrioritizedFields(
        title_field=SemanticField(field_name="title"),
        content_fields=[SemanticField(field_name="content"), SemanticField(field_name="image_caption")],
        keywords_fields=[SemanticField(field_name="heading")],
    )
    configuration = SemanticConfiguration(name=SEMANTIC, prioritized_fields=fields)
    return SemanticSearch(configurations=[configuration], default_configuration_name=SEMANTIC)
