"""Validation of an index definition, and the definition as the service returns it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.doubles.azure_search.definition import Definition, Field, read_definition
from tests.doubles.azure_search.errors import Refused

_NAME = re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{0,126}[a-z0-9])")
_FIELD_NAME = re.compile(r"(?!azureSearch)[A-Za-z]\w{0,127}", re.ASCII)
_ITEMS = "String|Int32|Int64|Double|Boolean|DateTimeOffset|Single|Half|Int16|SByte|Byte"
_TYPE = re.compile(rf"Edm\.(?:String|Int32|Int64|Double|Boolean|DateTimeOffset)|Collection\(Edm\.(?:{_ITEMS})\)")
_ONLY_IN_VECTORS = ("Edm.Single", "Edm.Half", "Edm.Int16", "Edm.SByte", "Edm.Byte")
_ANALYZERS = re.compile(
    r"standard\.lucene|standard|keyword|simple|stop|whitespace|pattern|\w\w(?:-\w+)?\.(?:lucene|microsoft)"
)
_NORMALIZERS = ("lowercase", "uppercase", "standard", "asciifolding", "elision")
_MAY_CHANGE = ("retrievable", "searchAnalyzer", "synonymMaps")
_DEFAULTS: dict[str, Any] = {
    "description": None, "defaultScoringProfile": None, "fields": [], "scoringProfiles": [], "corsOptions": None,
    "suggesters": [], "analyzers": [], "normalizers": [], "tokenizers": [], "tokenFilters": [], "charFilters": [],
    "encryptionKey": None, "similarity": None, "semantic": None, "vectorSearch": None,
}  # fmt: skip
_SIMILARITY = {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": None, "b": None}


def whole_definition(raw: Any, etag: str) -> dict[str, Any]:
    """Return the definition with its defaults and etag. Refuse it if no index can be created from it."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("name"), str) or not _is_fields(raw.get("fields")):
        raise _refused("An index needs a name and fields.")
    try:
        meaning = read_definition(raw)
    except (KeyError, TypeError, AttributeError) as problem:
        raise _refused(f"The definition cannot be read: {problem!r}.") from None
    for reason in _problems(raw, meaning):
        raise _refused(reason)
    given = {name: value for name, value in raw.items() if value is not None and name in _DEFAULTS}
    fields = [_whole_field(one, meaning.fields[one["name"]]) for one in raw["fields"]]
    whole = {"@odata.etag": etag, "name": raw["name"]} | _DEFAULTS | given | {"fields": fields}
    return whole | {"similarity": whole["similarity"] or _SIMILARITY}


def check_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Check that the new definition only adds fields and leaves the existing ones unchanged."""
    fields = {one["name"]: one for one in new["fields"]}
    for one in old["fields"]:
        kept = fields.get(one["name"])
        if kept is None or any(kept[key] != value for key, value in one.items() if key not in _MAY_CHANGE):
            reason = f"Existing field '{one['name']}' cannot be changed."
            raise Refused(400, reason, code="OperationNotAllowed", detail="CannotChangeExistingField")


def _refused(reason: str) -> Refused:
    return Refused(400, f"The request is invalid. Details: definition : {reason}")


def _is_fields(fields: Any) -> bool:
    return isinstance(fields, list) and all(
        isinstance(one, Mapping) and isinstance(one.get("name"), str) and isinstance(one.get("type"), str)
        for one in fields
    )


def _problems(raw: Mapping[str, Any], meaning: Definition) -> Iterator[str]:
    if not _NAME.fullmatch(raw["name"]):
        yield f"'{raw['name']}' is no name for an index: lower-case letters, digits and dashes."
    if len(meaning.fields) != len(raw["fields"]):
        yield "Two fields have the same name."
    if [one.type for one in meaning.fields.values() if one.key] != ["Edm.String"]:
        yield "An index needs exactly one key field, of type Edm.String."
    own = {one["name"] for part in ("analyzers", "normalizers") for one in raw.get(part) or []}
    for one in raw["fields"]:
        yield from _field_problems(one, meaning.fields[one["name"]], own)
    yield from _vector_problems(raw.get("vectorSearch") or {}, meaning)
    yield from _semantic_problems(meaning)


def _field_problems(raw: Mapping[str, Any], field: Field, own: set[str]) -> Iterator[str]:
    name = field.name
    if not _FIELD_NAME.fullmatch(name):
        yield f"'{name}' is no name for a field."
    if not _TYPE.fullmatch(field.type):
        yield f"The field '{name}' has the type '{field.type}', which is not known here."
    if field.key and not field.retrievable:
        yield f"The key field '{name}' must be retrievable."
    if field.sortable and field.collection:
        yield f"The field '{name}' is a collection and cannot be sortable."
    if field.searchable and not field.vector and field.item_type != "Edm.String":
        yield f"The field '{name}' of type {field.type} cannot be searchable."
    if field.vector != (field.item_type in _ONLY_IN_VECTORS):
        yield f"The field '{name}' needs a vector's type and dimensions, or neither."
    if field.vector and (field.filterable or field.facetable or not field.searchable):
        yield f"The vector field '{name}' must be searchable, not filterable and not facetable."
    for key in ("analyzer", "indexAnalyzer", "searchAnalyzer"):
        if raw.get(key) and not (field.text and (_ANALYZERS.fullmatch(raw[key]) or raw[key] in own)):
            yield f"The field '{name}' cannot have the {key} '{raw[key]}'."
    if raw.get("normalizer") and not (field.item_type == "Edm.String" and raw["normalizer"] in (*_NORMALIZERS, *own)):
        yield f"The field '{name}' cannot have the normalizer '{raw['normalizer']}'."


def _vector_problems(raw: Mapping[str, Any], meaning: Definition) -> Iterator[str]:
    algorithms = {one["name"] for one in raw.get("algorithms") or []}
    vectorizers = {one["name"] for one in raw.get("vectorizers") or []}
    for profile in raw.get("profiles") or []:
        if profile["algorithm"] not in algorithms:
            yield f"The profile '{profile['name']}' names an algorithm that is not there."
        if profile.get("vectorizer") and profile["vectorizer"] not in vectorizers:
            yield f"The profile '{profile['name']}' names a vectorizer that is not there."
    for field in meaning.fields.values():
        if field.vector and field.name not in meaning.metrics:
            yield f"The vector field '{field.name}' needs a profile that is there."
        if field.vector and not 2 <= (field.dimensions or 0) <= 4096:
            yield f"The vector field '{field.name}' must have 2 to 4096 dimensions."


def _semantic_problems(meaning: Definition) -> Iterator[str]:
    for name, configuration in meaning.semantic.items():
        for field in configuration.fields:
            if field not in meaning.fields or not meaning.fields[field].text:
                yield f"The semantic configuration '{name}' names '{field}', which is no searchable text field."
    if meaning.default_semantic and meaning.default_semantic not in meaning.semantic:
        yield "The default semantic configuration is not there."


def _whole_field(raw: Mapping[str, Any], field: Field) -> dict[str, Any]:
    flags = ("searchable", "filterable", "retrievable", "sortable", "facetable", "key")
    whole = {"name": field.name, "type": field.type} | {flag: getattr(field, flag) for flag in flags}
    whole |= {"stored": raw.get("stored") is not False}
    for key in (
        "indexAnalyzer",
        "searchAnalyzer",
        "analyzer",
        "normalizer",
        "dimensions",
        "vectorSearchProfile",
        "vectorEncoding",
    ):
        whole[key] = raw.get(key)
    return whole | {"synonymMaps": raw.get("synonymMaps") or []}
