"""Operations of the service without HTTP. Each returns a status, a body and headers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.azure_search.creation import check_change, whole_definition
from tests.doubles.azure_search.errors import Refused, no_index, not_allowed
from tests.doubles.azure_search.index import Index
from tests.doubles.azure_search.knowledge import Knowledge
from tests.doubles.azure_search.parameters import selected
from tests.doubles.azure_search.routes import Route
from tests.doubles.azure_search.search import Search
from tests.doubles.azure_search.vector_query import Vectorize

MAX_ACTIONS = 1000
USER_TOKEN = "x-ms-query-source-authorization"


@dataclass(frozen=True)
class Asked:
    route: Route
    body: Any
    query: Mapping[str, str]
    headers: Mapping[str, str]
    url: str
    """URL without the query."""


@dataclass(frozen=True)
class Done:
    status: int
    body: Any = None
    """JSON, or text that is sent unchanged."""
    headers: Mapping[str, str] = field(default_factory=dict)


class Operations:
    def __init__(self, *, vectorize: Vectorize | None, indexing_delay: float, seed: int) -> None:
        self.indexes: dict[str, Index] = {}
        self.knowledge = Knowledge(self.index)
        self.user_tokens: dict[str, list[str]] = {}
        self.ranker = "full"
        self.vectorize = vectorize
        self.indexing_delay = indexing_delay
        self._seed = seed
        self._searches = itertools.count()
        self._etags = itertools.count(0x8DE6420CED98C6D)

    def perform(self, asked: Asked) -> Done:
        perform: Callable[[Asked], Done] | None = getattr(self, "_" + asked.route.operation, None)
        if perform is None:
            raise Refused(404, "There is no such resource, or the stand-in does not have it.")
        return perform(asked)

    def index(self, name: str | None) -> Index:
        if name is None or name not in self.indexes:
            raise no_index(name or "")
        return self.indexes[name]

    def define(self, raw: Any) -> Index:
        """Create or change an index."""
        whole = whole_definition(raw, f'"0x{next(self._etags):X}"')
        old = self.indexes.get(whole["name"])
        if old is None:
            self.indexes[whole["name"]] = old = Index(whole, self.indexing_delay)
        else:
            check_change(old.raw, whole)
            old.redefine(whole)
        return old

    def _search(self, asked: Asked) -> Done:
        body = asked.body
        if not isinstance(body, Mapping):
            raise Refused(400, "The request is invalid. Details: a search needs a JSON object.")
        snapshot = self.index(asked.route.index).snapshot()
        if names := self.user_tokens.get(asked.headers.get(USER_TOKEN, "")):
            own = f"group_ids/any(g: search.in(g, '{','.join(names)}', ','))"
            body = {**body, "filter": f"({body['filter']}) and {own}" if body.get("filter") else own}
        seed = [self._seed, next(self._searches)]
        search = Search(body, snapshot, vectorize=self.vectorize, ranker=self.ranker, seed=seed)
        status, answer = search.answer()
        if "@search.nextPageParameters" in answer:
            answer["@odata.nextLink"] = f"{asked.url}?api-version={asked.query['api-version']}"
        return Done(status, answer)

    def _get_knowledge_base(self, asked: Asked) -> Done:
        return Done(200, self.knowledge.base(asked.route.index))

    def _get_knowledge_source(self, asked: Asked) -> Done:
        return Done(200, self.knowledge.source(asked.route.index))

    def _retrieve(self, asked: Asked) -> Done:
        return Done(*self.knowledge.retrieve(asked.route.index, asked.body, [self._seed, next(self._searches)]))

    def _lookup(self, asked: Asked) -> Done:
        index = self.index(asked.route.index)
        names = selected(asked.query.get("$select"), index.definition)
        row = index.found(asked.route.key or "")
        if row is None:
            raise Refused(404)
        return Done(200, {name: row[name] for name in names})

    def _count(self, asked: Asked) -> Done:
        return Done(200, str(self.index(asked.route.index).count()))

    def _batch(self, asked: Asked) -> Done:
        index = self.index(asked.route.index)
        actions = asked.body.get("value") if isinstance(asked.body, Mapping) else None
        if not isinstance(actions, list) or not actions:
            raise not_allowed("actions : No indexing actions found in the request.", "MissingIndexingActions")
        if len(actions) > MAX_ACTIONS:
            raise not_allowed(f"actions : More than {MAX_ACTIONS} indexing actions.", "TooManyIndexingActions")
        results = index.apply(actions)
        return Done(200 if all(one["status"] for one in results) else 207, {"value": results})

    def _list_indexes(self, asked: Asked) -> Done:
        names = asked.query.get("$select", "*")
        shown = [one.raw for one in self.indexes.values()]
        if names != "*":
            shown = [{name: raw.get(name) for name in names.split(",")} for raw in shown]
        return Done(200, {"value": shown})

    def _get_index(self, asked: Asked) -> Done:
        return self._definition(200, self.index(asked.route.index), asked)

    def _create_index(self, asked: Asked) -> Done:
        name = asked.body.get("name") if isinstance(asked.body, Mapping) else None
        if name in self.indexes:
            message = f"Cannot create index '{name}' because it already exists."
            raise Refused(409, message, code="ResourceNameAlreadyInUse", detail="CannotCreateExistingIndex")
        return self._definition(201, self.define(asked.body), asked)

    def _put_index(self, asked: Asked) -> Done:
        name = asked.route.index or ""
        if not isinstance(asked.body, Mapping) or asked.body.get("name", name) != name:
            raise Refused(400, "The name in the address and the one in the definition differ.")
        self._check_version(asked, self.indexes.get(name))
        status = 200 if name in self.indexes else 201
        return self._definition(status, self.define({**asked.body, "name": name}), asked)

    def _delete_index(self, asked: Asked) -> Done:
        index = self.index(asked.route.index)
        self._check_version(asked, index)
        del self.indexes[index.definition.name]
        return Done(204)

    def _index_stats(self, asked: Asked) -> Done:
        count = self.index(asked.route.index).count()
        return Done(200, {"documentCount": count, "storageSize": count * 1000, "vectorIndexSize": 0})

    def _service_stats(self, _: Asked) -> Done:
        used = {
            "documentCount": sum(one.count() for one in self.indexes.values()),
            "indexesCount": len(self.indexes),
        }
        names = "aliasesCount indexersCount dataSourcesCount storageSize synonymMaps skillsetCount vectorIndexSize"
        counters = dict.fromkeys(names.split(), 0) | used
        limits = {"maxFieldsPerIndex": 1000, "maxFieldNestingDepthPerIndex": 10}
        return Done(200, {"counters": {k: {"usage": v, "quota": None} for k, v in counters.items()}, "limits": limits})

    def _definition(self, status: int, index: Index, asked: Asked) -> Done:
        etag = index.raw["@odata.etag"]
        headers = {"ETag": etag} | ({"Location": asked.url} if status == 201 else {})
        return Done(status, {"@odata.context": "$metadata#indexes/$entity"} | index.raw, headers)

    def _check_version(self, asked: Asked, index: Index | None) -> None:
        etag = index.raw["@odata.etag"] if index else None
        wanted, unwanted = asked.headers.get("If-Match"), asked.headers.get("If-None-Match")
        missed = wanted is not None and (etag is None or wanted not in ("*", etag))
        met = unwanted is not None and etag is not None and unwanted in ("*", etag)
        if missed or met:
            raise Refused(412, "The precondition given in one of the request headers evaluated to false.")
