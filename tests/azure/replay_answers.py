"""Synthetic answers in the formats of Azure AI Search."""

from __future__ import annotations

from typing import Any

from tests.azure.replay import Recorded

_NEXT = {"search": "*", "orderby": "id asc", "top": None, "skip": 3}


def _hit(score: float, key: str, **more: Any) -> dict[str, Any]:
    return {"@search.score": score, **more, "id": key}


def _reranked(score: float, again: float, key: str, said: str) -> dict[str, Any]:
    captions = [{"text": said, "highlights": f"<em>{said}</em>"}]
    return _hit(score, key, **{"@search.rerankerScore": again, "@search.captions": captions})


def _error(status: int, code: str, message: str, *details: str) -> Recorded:
    error: dict[str, Any] = {"code": code, "message": message}
    if details:
        error["details"] = [{"code": one, "message": message} for one in details]
    return Recorded(f"error_{status}_{details[0] if details else 'plain'}", status, {"error": error})


def _batch(name: str, status: int, *rows: tuple[str, int, str | None]) -> Recorded:
    value = [
        {"key": key, "status": code < 300, "errorMessage": reason, "statusCode": code} for key, code, reason in rows
    ]
    return Recorded(f"index_batch_{name}", status, {"value": value})


def _field(name: str, **able: bool) -> dict[str, Any]:
    abilities = dict.fromkeys(("searchable", "filterable", "retrievable", "sortable", "facetable", "key"), False)
    unset = dict.fromkeys(("indexAnalyzer", "analyzer", "normalizer", "dimensions", "vectorSearchProfile"))
    return {"name": name, "type": "Edm.String", **abilities, **unset, "synonymMaps": [], **able}


_PAGE = {"@search.nextPageParameters": _NEXT, "value": [_hit(1.0, "1"), _hit(1.0, "10"), _hit(1.0, "2")]}
_PARTIAL = {
    "@odata.count": 12, "@search.answers": [{"key": "4", "text": "T.", "highlights": "<em>T.</em>", "score": 0.9}],
    "@search.semanticPartialResponseReason": "maxWaitExceeded",
    "value": [_reranked(0.6, 1.2, "4", "The rotor turns.")],
}  # fmt: skip
_FACETS = {
    "@search.facets": {
        "kind": [{"value": "Manual", "count": 2}, {"value": "Note", "count": 1}],
        "new": [{"value": True, "count": 3}], "price": [{"to": 100.0, "count": 1}, {"from": 100.0, "count": 2}],
    },
    "value": [_hit(1.0, "3"), _hit(1.0, "1")],
}  # fmt: skip
_DEFINITION = {
    "@odata.etag": '"0x1"', "name": "i", "description": None, "scoringProfiles": [], "suggesters": [],
    "fields": [_field("id", key=True, retrievable=True), _field("text", searchable=True, retrievable=True)],
    "analyzers": [], "semantic": None, "vectorSearch": None, "encryptionKey": None,
    "similarity": {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": None, "b": None},
}  # fmt: skip

OWN = (
    Recorded("search_scores_text", 200, {"value": [_hit(0.8, "a"), _hit(0.3, "b"), _hit(0.3, "c"), _hit(0.1, "d")]}),
    Recorded("search_count", 200, {"@odata.count": 9, "value": [_hit(7.25, "a"), _hit(2.5, "b")]}),
    Recorded("search_hybrid", 200, {"value": [_hit(2 / 60, "a"), _hit(1 / 60 + 1 / 62, "b"), _hit(1 / 66, "c")]}),
    Recorded("search_vector", 200, {"value": [_hit(0.93, "a"), _hit(0.87, "b"), _hit(0.3334, "c")]}),
    Recorded("search_semantic", 200, {"@search.answers": [], "value": [
        _reranked(1 / 60, 4.0, "a", "One."), _reranked(2 / 60, 1.9, "b", "Two."), _reranked(0.01, 0.0, "c", "Three."),
    ]}),
    Recorded("search_facets", 200, _FACETS),
    Recorded("search_next_page", 200, _PAGE),
    Recorded("search_semantic_partial", 206, _PARTIAL),
    Recorded("lookup_200", 200, {"id": "1000", "title": "T", "author": None, "tags": [], "pages": 5}),
    Recorded("lookup_404", 404, None, {"Content-Language": "en"}),
    Recorded("count_200", 200, 12, {"Content-Type": "text/plain; charset=utf-8"}),
    Recorded("delete_index_204", 204, None),
    Recorded("create_index_201", 201, _DEFINITION, {"ETag": '"0x1"'}),
    _error(400, "", "Invalid expression: something at position 7 in 'x eq'.\r\nParameter name: $filter"),
    _error(400, "InvalidRequestParameter", "The 'semantic' parameter is not right.", "ParameterValueOutOfRange"),
    _error(400, "OperationNotAllowed", "actions : 0: a key is needed here.", "MissingKeyField"),
    _error(403, "", "Authorization was not given to this caller."),
    _error(404, "", "No index with such a name 'i' is in the service 's'."),
    _error(429, "", "You have exceeded the quota of skillsets."),
    _error(503, "", "Failed to run the request. Send fewer of them."),
    _batch("created", 200, ("1", 201, None), ("2", 201, None)),
    _batch("mixed", 200, ("1", 201, None), ("2", 200, None)),
    _batch("partial", 207, ("1", 201, None), ("2", 404, "Document not found."), ("3", 422, "No such field.")),
    _batch("failed", 207, ("1", 404, "Document not found.")),
)  # fmt: skip
