"""Knowledge bases: agentic retrieval without a model, in the structures of the SDK's own classes.

Like the service, it searches a source without a filter if the request has no filter for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.index import Index
from tests.doubles.azure_search.search import Search

MAX_REFERENCES = 50
_STAMP = "2026-01-01T00:00:00.000Z"


class Knowledge:
    """Knowledge bases of a service. `fails` lists sources that return an error and no rows."""

    def __init__(self, index: Callable[[str | None], Index]) -> None:
        self._index = index
        self.bases: dict[str, list[str]] = {}
        self.sources: dict[str, dict[str, Any]] = {}
        self.fails: set[str] = set()
        self.reasoning_tokens = 74
        self.blind = False
        """True to ignore filters, like a broken service or a proxy that changes requests."""

    def clear(self) -> None:
        self.bases.clear()
        self.sources.clear()
        self.fails.clear()
        self.blind = False

    def put(self, name: str, *indexes: str, web: bool = False) -> None:
        """Create a knowledge base with a source for each of these indexes, and one for the web."""
        self.bases[name] = []
        for index in indexes:
            source = f"{name}-{index}"
            parameters = {"searchIndexName": index, "semanticConfigurationName": "ibid"}
            self.sources[source] = {
                "name": source, "kind": "searchIndex", "searchIndexParameters": parameters,
            }  # fmt: skip
            self.bases[name].append(source)
        if web:
            self.sources[f"{name}-web"] = {"name": f"{name}-web", "kind": "web", "webParameters": {}}
            self.bases[name].append(f"{name}-web")

    def base(self, name: str | None) -> dict[str, Any]:
        sources = self._sources(name)
        return {"name": name, "knowledgeSources": [{"name": source} for source in sources], "models": []}

    def source(self, name: str | None) -> dict[str, Any]:
        if name not in self.sources:
            raise Refused(404, f"No knowledge source with the name '{name}' was found.")
        return self.sources[name or ""]

    def retrieve(self, name: str | None, body: Any, seed: list[int]) -> tuple[int, dict[str, Any]]:
        sources = self._sources(name)
        if not isinstance(body, Mapping) or not body.get("intents"):
            raise Refused(400, "The request is invalid. Details: intents: at least one is needed.")
        wishes = {one["knowledgeSourceName"]: one for one in body.get("knowledgeSourceParams") or ()}
        if unknown := wishes.keys() - set(sources):
            raise Refused(400, f"Knowledge source '{unknown.pop()}' is not one of this knowledge base.")
        numbers = itertools.count(1)
        activity: list[dict[str, Any]] = []
        references: list[dict[str, Any]] = []
        for intent in body["intents"]:
            for source in sources:
                number = next(numbers)
                found, record = self._found(source, wishes.get(source, {}), intent["search"], number, seed)
                references += found
                activity.append(record)
        reasoning = {
            "type": "agenticReasoning",
            "id": next(numbers),
            "reasoningTokens": self.reasoning_tokens,
        }
        answer: dict[str, Any] = {"response": [{"content": [{"type": "text", "text": "[{...}]"}]}]}
        answer["references"] = sorted(references, key=lambda one: -one["rerankerScore"])[:MAX_REFERENCES]
        if body.get("includeActivity"):
            answer["activity"] = [*activity, reasoning]
        return 206 if any("error" in one for one in activity) else 200, answer

    def _sources(self, name: str | None) -> list[str]:
        if name not in self.bases:
            raise Refused(404, f"No knowledge base with the name '{name}' was found.")
        return self.bases[name or ""]

    def _found(
        self, name: str, wishes: Mapping[str, Any], text: str, number: int, seed: list[int]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        source = self.sources[name]
        record = {
            "type": source["kind"], "id": number, "knowledgeSourceName": name, "queryTime": _STAMP, "elapsedMs": 12,
        }  # fmt: skip
        if name in self.fails:
            return [], record | {"error": {"code": "Throttled", "message": "internal words"}}
        if source["kind"] != "searchIndex":
            web = {"type": "web", "id": f"w{number}", "activitySource": number, "url": "https://example.net"}
            return [web | {"rerankerScore": 1.0}], record | {"count": 1}
        index = self._index(source["searchIndexParameters"]["searchIndexName"])
        body: dict[str, Any] = {
            "search": text, "top": MAX_REFERENCES, "queryType": "semantic", "select": index.definition.key,
            "semanticConfiguration": source["searchIndexParameters"]["semanticConfigurationName"],
        }  # fmt: skip
        if wishes.get("filterAddOn") and not self.blind:
            body["filter"] = wishes["filterAddOn"]
        status, answer = Search(body, index.snapshot(), vectorize=None, ranker="full", seed=seed).answer()
        assert status == 200
        references = [
            {
                "type": "searchIndex", "id": f"{number}-{at}", "activitySource": number,
                "docKey": row[index.definition.key], "rerankerScore": row.get("@search.rerankerScore", 0.0),
            }
            for at, row in enumerate(answer["value"])
        ]  # fmt: skip
        arguments = {"search": text, "filter": body.get("filter")}
        return references, record | {"count": len(references), "searchIndexArguments": arguments}
