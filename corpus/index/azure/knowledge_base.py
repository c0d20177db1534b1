"""Agentic retrieval: query an Azure AI Search knowledge base instead of the index, with the same filter.

The knowledge base is used only if every source is a search index that this server reads, because other kinds of source
do not accept a filter. Only the keys and the order of its references are used: the rows are looked up with the caller's
rights, and text written by the knowledge base is ignored.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from azure.search.documents.knowledgebases.models import (
    KnowledgeBaseRetrievalRequest,
    KnowledgeRetrievalSemanticIntent,
    SearchIndexKnowledgeSourceParams,
)

from corpus.diagnostics import Finding
from corpus.documents.block import KEY
from corpus.errors import AzureSearchError, Timeout
from corpus.index.azure.filter_conditions import id_condition
from corpus.index.azure.rows import RERANKED, Row
from corpus.index.azure.schema.fields import BLOCK_KEY
from corpus.index.azure.service.azure_errors import MAKING, Retrieval
from corpus.index.azure.service.connection import MAX_ROWS, Connection
from corpus.index.azure.view import View
from corpus.odata import all_of, build_security_filter
from corpus.processes.tracing import measures

SETTING = "RAG_AZURE_KNOWLEDGE_BASE"
WAIT = 15.0
"""Maximum seconds to wait for a response. The remaining time of the tool call is enough for a search."""
SOURCES_SECONDS = 300.0
"""Seconds before the sources of the knowledge base are read again."""
REST = 60.0
"""Seconds during which the knowledge base is not used after a failure."""

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class KnowledgeBaseAnswer:
    """The response of a knowledge base. `rows` are ordered best first, with scores of 0..4 as in semantic ranking; they
    are None if the knowledge base was not used or failed. `notes` are warnings."""

    rows: tuple[Row, ...] | None
    notes: tuple[str, ...] = ()


class KnowledgeBase:
    """A knowledge base that reads one content index."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._sources: tuple[str, ...] = ()
        self._why = ""
        self._looked_until = self._rests_until = 0.0

    async def find(self, view: View, text: str, where: Sequence[str], top_k: int) -> KnowledgeBaseAnswer:
        """Return up to `top_k` blocks that meet every condition. Does not raise if the knowledge base fails, because
        the caller then uses a search."""
        readable = build_security_filter(view.caller, prefixed=view.prefixed)
        if readable is None:
            return self._passed("no access filter applies to this caller")
        if view.token_missing:
            return self._passed("the caller's token is not available")
        if time.monotonic() < self._rests_until:
            return self._passed("it failed recently")
        try:
            sources = await self._fitting_sources(view.connection, view.shapes.content.index)
            if not sources:
                return self._passed(self._why)
            request = _request(sources, text, all_of([readable, *where]) or readable)
            retrieval = await view.connection.retrieve(self.name, request, seconds=WAIT, **view.authorization)
        except (AzureSearchError, Timeout) as error:
            self._rests_until = time.monotonic() + REST
            log.warning("azure.knowledge_base_failed", knowledge_base=self.name, outcome=error.type)
            return self._passed("it gave no answer")
        self._note(retrieval)
        rows = await _rows(view, retrieval, where, top_k)
        partial = "A part of the knowledge base failed, so this answer may lack passages."
        return KnowledgeBaseAnswer(rows, (partial,) if retrieval.partial else ())

    async def check(self, connection: Connection, index: str) -> Finding:
        """Check that the knowledge base reads only this content index. Raises AzureSearchError and Timeout."""
        if await self._fitting_sources(connection, index):
            return Finding("ok", "knowledge base", f"{self.name} reads {index} alone")
        return Finding(
            "warning", "knowledge base", f"{self.name} is not used: {self._why}.",
            f"Give it one source, a search index source over {index}, and this credential the role {MAKING}, which may "
            f"see that; or unset {SETTING}.",
        )  # fmt: skip

    async def _fitting_sources(self, connection: Connection, index: str) -> tuple[str, ...]:
        """Return the names of the knowledge base's sources if all of them read the content index. Otherwise return an
        empty tuple and set `_why`."""
        if time.monotonic() < self._looked_until:
            return self._sources
        self._sources, self._why = (), ""
        names = await connection.knowledge_base_sources(self.name)
        if names is None:
            self._why = "this credential may not see what its sources are"
        elif not names:
            self._why = "it has no source"
        else:
            over = {name: await connection.knowledge_source_index(name) for name in names}
            if set(over.values()) == {index}:
                self._sources = tuple(names)
            else:
                self._why = f"it has a source in addition to index {index}, to which no access filter would apply"
        self._looked_until = time.monotonic() + (SOURCES_SECONDS if self._sources else REST)
        return self._sources

    def _passed(self, why: str) -> KnowledgeBaseAnswer:
        return KnowledgeBaseAnswer(
            None,
            (f"Knowledge base {self.name} was not used: {why}. The answer comes from a search. See {SETTING}.",),
        )

    def _note(self, retrieval: Retrieval) -> None:
        """Log the activity and the token counts."""
        measures().tokens += retrieval.tokens
        log.info(
            "azure.knowledge_base", knowledge_base=self.name, references=len(retrieval.references),
            reasoning_tokens=retrieval.tokens, activity=list(retrieval.activity), partial=retrieval.partial,
        )  # fmt: skip


def _request(sources: Iterable[str], text: str, filter: str) -> KnowledgeBaseRetrievalRequest:
    return KnowledgeBaseRetrievalRequest(
        intents=[KnowledgeRetrievalSemanticIntent(search=text)],
        max_runtime_in_seconds=int(WAIT),
        include_activity=True,
        knowledge_source_params=[
            SearchIndexKnowledgeSourceParams(
                knowledge_source_name=name,
                include_references=True,
                include_reference_source_data=False,
                filter_add_on=filter,
            )
            for name in sources
        ],
    )


async def _rows(view: View, retrieval: Retrieval, where: Sequence[str], top_k: int) -> tuple[Row, ...]:
    """Return the readable rows among the references, looked up with the caller's rights."""
    scores: dict[str, float] = {}
    for key, score in retrieval.references:
        if KEY.fullmatch(key):
            scores[key] = max(score, scores.get(key, 0.0))
    best = sorted(scores, key=lambda key: -scores[key])[:MAX_ROWS]
    if not best:
        return ()
    answer = await view.blocks([id_condition(BLOCK_KEY, best), *where], top=len(best))
    rows: dict[str, dict[str, Any]] = {row[BLOCK_KEY]: row for row in answer.rows}
    if len(rows) < len(best):
        # The request's filter should have excluded these rows, so the operator is informed.
        log.warning("azure.references_left_out", rows=len(best) - len(rows))
    readable = [key for key in best if key in rows]
    return tuple({**rows[key], RERANKED: scores[key]} for key in readable[:top_k])
