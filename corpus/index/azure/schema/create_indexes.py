"""Define and create the two indexes. Each field of `fields.py` gets its type and attributes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

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

from corpus.errors import AzureSearchError, NotConfigured
from corpus.index.azure.schema.fields import (
    ALL_OF_BLOCKS,
    ALL_OF_DOCUMENTS,
    BLOCK_KEY,
    DOCUMENT_KEY,
    SEARCHED_OF_BLOCKS,
    SEARCHED_OF_DOCUMENTS,
    VECTORS,
)
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.schema.schema_diff import Difference, differences
from corpus.index.azure.service.azure_errors import FIREWALL, MAKING, admin_key_or, status_of
from corpus.index.azure.service.connection import Connection

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchIndex


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
# Fields for which sorting and comparison ignore case.
_ONE_CASE = frozenset({"filename", "title"})
# Fields without stemming, which would conflate names.
_NAMES = frozenset({"filename", "author", "department"})


@dataclass(frozen=True, slots=True)
class Vectorizer:
    """An Azure OpenAI deployment that the service uses to embed queries. If there is no key, the service signs in with
    its own identity."""

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
    """Return the definition of the content index. If `dimensions` is None, it has no vector fields."""
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
    """Return the definition of the documents index."""
    fields = _fields(ALL_OF_DOCUMENTS, DOCUMENT_KEY, SEARCHED_OF_DOCUMENTS, analyzer)
    return SearchIndex(name=name, description=str(mark), fields=fields)


def _fields(names: Iterable[str], key: str, searched: Iterable[str], analyzer: str) -> list[SearchField]:
    analyzers = {name: ANALYZER if name in _NAMES else analyzer for name in searched}
    return [_field(name, key=name == key, analyzer=analyzers.get(name)) for name in names]


def _field(name: str, *, key: bool, analyzer: str | None) -> SearchField:
    """Return a field with every attribute set explicitly, because the service's defaults differ by type."""
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
        profiles=[VectorSearchProfile(name=PROFILE, algorithm_configuration_name=ALGORITHM, vectorizer_name=name)],
        vectorizers=[_azure_openai(vectorizer)] if vectorizer else None,
    )


def _azure_openai(vectorizer: Vectorizer) -> AzureOpenAIVectorizer:
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


State = Literal["made", "absent", "there", "hidden"]


@dataclass(frozen=True, slots=True)
class InspectedIndex:
    """The state of one index: `absent` if it does not exist yet, `hidden` if the credential may not read definitions.
    `definition` is the current definition."""

    state: State
    definition: SearchIndex
    differences: tuple[Difference, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether the index is usable."""
        return not any(one.hinders for one in self.differences)


async def inspect_index(connection: Connection, wanted: SearchIndex) -> InspectedIndex:
    """Check whether the index exists, and how it differs from the wanted one. Raises AzureSearchError and Timeout."""
    try:
        if not await connection.exists(wanted.name):
            return InspectedIndex("absent", wanted)
    except AzureSearchError as error:
        if status_of(error) not in (401, 403):
            raise
        return InspectedIndex("hidden", wanted)
    definition = await connection.definition(wanted.name)
    if definition is None:
        return InspectedIndex("hidden", wanted)
    return InspectedIndex("there", definition, tuple(differences(definition, wanted)))


async def create_index(connection: Connection, wanted: SearchIndex) -> InspectedIndex:
    """Create the index unless it exists. Raises NotConfigured if the credential may not create indexes."""
    looked = await inspect_index(connection, wanted)
    if looked.state == "hidden":
        raise _not_allowed()
    if looked.state == "there":
        return looked
    try:
        await connection.create(wanted)
    except AzureSearchError as error:
        if status_of(error) == 409:  # another program created it in the meantime
            return await inspect_index(connection, wanted)
        if status_of(error) in (401, 403):
            raise _not_allowed() from error
        if status_of(error) == 400:
            raise NotConfigured(
                f"Azure AI Search refused the definition of index {wanted.name}.",
                hints=(
                    "--dry-run shows it. An analyzer may not exist, the tier of the service may lack the semantic "
                    "ranker or a vectorizer's model, or the service may be full.",
                ),
            ) from error
        raise
    return InspectedIndex("made", wanted)


def _not_allowed() -> NotConfigured:
    return NotConfigured(
        "This credential may not make indexes.",
        hints=(admin_key_or(MAKING), FIREWALL, "For reading afterwards, a query key is enough."),
    )
