"""Print index definitions for a person, and the settings that fit them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from server.settings import Settings

if TYPE_CHECKING:
    from corpus.index.azure.schema import SearchField, SearchIndex

ABILITIES = ("key", "searchable", "filterable", "sortable", "facetable")


def in_words(definition: SearchIndex) -> str:
    """One field a line, with its type and what it can do."""
    width = max(len(one.name) for one in definition.fields)
    fields = [f"  {one.name:{width}}  {_field(one)}" for one in definition.fields]
    more = []
    if definition.semantic_search and definition.semantic_search.configurations:
        names = ", ".join(one.name for one in definition.semantic_search.configurations)
        more.append(f"  Semantic configuration: {names}")
    for profile in (definition.vector_search and definition.vector_search.profiles) or ():
        asks = f", queries embedded by {profile.vectorizer_name}" if profile.vectorizer_name else ""
        more.append(f"  Vector profile: {profile.name} (HNSW, cosine{asks})")
    return "\n".join([f"Index {definition.name}", f"  {definition.description}", *fields, *more])


def _field(field: SearchField) -> str:
    from corpus.index.azure.comparing import plain

    able = [name for name in ABILITIES if getattr(field, name)]
    able += ["hidden"] if field.retrievable is False else []
    more = [f"{field.vector_search_dimensions} dimensions"] if field.vector_search_dimensions else []
    more += [f"analyzer {plain(field.analyzer_name)}"] if field.analyzer_name else []
    more += [f"normalizer {plain(field.normalizer_name)}"] if field.normalizer_name else []
    return f"{plain(field.type)}  {', '.join([*able, *more])}".rstrip()


def reading_entry(settings: Settings, content: SearchIndex) -> list[str]:
    """The lines of a client's configuration for a reader with a query key, whom settings must tell what such a key may
    not see. Who asks, and the key, are left to fill in."""
    from corpus.index.azure.mark import mark_in
    from corpus.index.azure.shape import shape_of
    from server.wiring import picture_container

    shape = shape_of(content.name, content)
    mark = mark_in(shape.description)
    vectors = [name for name, one in shape.fields.items() if one.dimensions]
    vectorized = any(shape.fields[name].vectorized for name in vectors)
    container = picture_container(settings)
    values = {
        "RAG_BACKEND": "azure",
        "AZURE_SEARCH_ENDPOINT": settings.azure_search_endpoint,
        "AZURE_SEARCH_API_KEY": "QUERY_KEY",
        "AZURE_SEARCH_CONTENT_INDEX": settings.azure_search_content_index,
        "AZURE_SEARCH_DOCUMENTS_INDEX": settings.azure_search_documents_index,
        "RAG_AZURE_VECTOR_FIELDS": ",".join(vectors) or "none",
        "RAG_AZURE_SEMANTIC_CONFIG": next(iter(shape.semantic), "none"),
        "RAG_AZURE_EMBEDDER": ("vectorizer" if vectorized else mark and mark.embedder) if vectors else None,
        "RAG_PRINCIPAL_PREFIXES": str(mark.prefixed).lower() if mark else None,
        "AZURE_STORAGE_CONTAINER_URL": container.address if container else None,
        "RAG_USER_ID": "WHO_ASKS",
    }
    server = {"command": "ibid", "args": ["serve"], "env": {name: one for name, one in values.items() if one}}
    entry = json.dumps({"mcpServers": {"ibid": server}}, indent=2, ensure_ascii=False)
    head = "The entry of a client that reads with a query key; put that key and who asks in the two places:"
    return [head, *entry.splitlines()]
