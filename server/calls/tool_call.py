"""Run a tool call: validate the arguments, answer or fail in our format, and write one log line.

This is the only place where our errors become results. Any other exception is a crash.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any

import anyio
import anyio.to_thread
import structlog
from mcp.server.apps import client_supports_apps
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, InputRequiredResult, TextContent
from pydantic import PrivateAttr, ValidationError
from pydantic_core import to_json

from corpus.access import ANONYMOUS, Caller
from corpus.errors import AmbiguousDocument, AskDifferently, IbidError
from corpus.processes.tracing import Measures, listening, measure_call
from corpus.visibility_digest import IndexState
from server.calls.arguments import filled_in, malformed, refuse_endless, refuse_unknown, within_bounds
from server.calls.deadlines import within
from server.calls.failures import crash, failed
from server.identity.verified_caller import Standing
from server.logs import search_text
from tools.disclosed_documents import disclose
from tools.protocol import Answer, CallerOf, LibraryOf

log = structlog.stdlib.get_logger("ibid")


STEPS_OF_A_ROUND = 10


class Progress:
    """A counter of steps for progress notifications. The total is unknown.

    From protocol 2026-07-28 on, a call that asks its client a question is repeated. The count in the second round
    starts above that of the first, because progress must increase.
    """

    def __init__(self, context: Context[Any, Any]) -> None:
        self._context = context
        self._steps = STEPS_OF_A_ROUND if context.input_responses else 0

    async def begins(self, what: str) -> None:
        """Notify the client that a stage begins."""
        self._steps += 1
        try:
            await self._context.report_progress(self._steps, None, what)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("progress.unheard")  # the client has disconnected; its call is cancelled elsewhere


MAX_FILTERS = 20
"""Maximum number of filters in a log line. There are nine kinds of filters."""
AZURE_OPERATIONS = {
    "rag_semantic_search": "search",
    "rag_synthesize": "search",
    "rag_verify_answer": "get",
    "rag_list_documents": "list",
    "rag_get_document": "get",
    "rag_show_page": "get",
    "rag_show_evidence": "get",
}
"""Operation that each tool performs on Azure AI Search, for the log."""


@dataclass(frozen=True, slots=True)
class CallLog:
    """The settings of log lines for calls."""

    caller_of: CallerOf
    index_name: str = "local"
    queries: bool = True
    azure: bool = False
    documents_index: str = ""

    def facts(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the facts that are known at the start of a call, for its log line."""
        caller = self._caller()
        facts: dict[str, Any] = {"tool": tool, "caller": _caller_label(caller)}
        asks_azure = self.azure and tool in AZURE_OPERATIONS
        if asks_azure:
            facts["azure_operation"] = AZURE_OPERATIONS[tool]
        query = arguments.get("query")
        if isinstance(query, str):
            facts["search_query"] = search_text(query, plain=self.queries)
        if isinstance(query, str) or asks_azure:
            of_documents = facts.get("azure_operation") == "list"
            facts["index_name"] = self.documents_index if of_documents else self.index_name
            facts["filters"] = _filters(arguments.get("filters"), access=not caller.unfiltered)
            facts["filter_applied"] = bool(facts["filters"])
        return facts | (_model_questions(arguments) if tool == "llm_generate" else {})

    def _caller(self) -> Caller:
        try:
            return self.caller_of()
        except IbidError:  # the call itself will report it
            return ANONYMOUS


class CalledTool(Tool):
    """A tool whose calls return an answer or failure in our format, and write one log line."""

    _log: CallLog = PrivateAttr()
    _seconds: float | None = PrivateAttr(default=None)
    _library: LibraryOf | None = PrivateAttr(default=None)

    def logged(self, call_log: CallLog, seconds: float | None, library: LibraryOf | None) -> CalledTool:
        """Configure the tool and return it. Calls that take longer than `seconds` fail with Timeout. `library` is None
        for tools that do not read the index."""
        self._log = call_log
        self._seconds = seconds
        self._library = library
        return self

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool; see `mcp.server.mcpserver.tools.Tool.run`."""
        with measure_call() as measures:
            return await self._measured(arguments, context, convert_result, measures)

    async def _measured(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool, measures: Measures
    ) -> Any:
        line = Line(self._log.facts(self.name, arguments), measures)
        standing = Standing(self._log.caller_of)
        state = IndexState()
        try:
            with listening(Progress(context).begins), within(self._seconds):
                taken, warnings = self._checked(arguments)
                state = await self._state()
                answer = await self._answer(taken, context)
                answer = beginning_with(state, _warned(answer, warnings))
                view = await _for_the_view(answer, context) if convert_result else None
            standing.check()
            result = self._result(answer, view) if convert_result else answer
            line.done(answer)
            return result
        except MCPError as error:  # the client cannot be asked a question; the protocol defines this error
            line.refused(error)
            raise
        except IbidError as error:
            line.failed(error)
            if isinstance(error, AmbiguousDocument):
                disclose(*error.listed_ids)
            return failed(error, state.notes if isinstance(error, AskDifferently) else ())
        except Exception as error:
            line.crashed(error)
            return failed(crash(line.call_id))
        finally:
            line.write()

    def _checked(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the validated arguments with amounts clamped, and warnings about clamped amounts. Raise InvalidRequest
        if the arguments are invalid."""
        refuse_unknown(arguments, self.parameters, self.name)
        refuse_endless(arguments)
        return within_bounds(filled_in(arguments, self.parameters), self.parameters)

    async def _answer(self, arguments: dict[str, Any], context: Context[Any, Any]) -> Any:
        """Return the result of the tool's function. Raise its exceptions without the SDK's wrapping."""
        try:
            return await super().run(arguments, context)
        except ToolError as error:
            cause = error.__cause__ or error
            if isinstance(cause, ValidationError) and cause.title == self.fn_metadata.arg_model.__name__:
                raise malformed(cause, self.parameters) from cause
            raise cause from None

    async def _state(self) -> IndexState:
        """Return the state of the index, or an empty state if it cannot be read; the call itself will report that
        error."""
        if self._library is None:
            return IndexState()
        try:
            return await (await self._library()).state()
        except Exception:
            return IndexState()

    def _result(self, answer: Any, view: dict[str, Any] | None) -> Any:
        if not isinstance(answer, Answer):
            return self.fn_metadata.convert_result(answer)
        structured = plain_numbers(answer.as_sent())
        return CallToolResult(
            # Send the same compact JSON twice: some clients show the model only the text, others only the structured
            # content.
            content=[TextContent(type="text", text=to_json(structured).decode()), *answer.beside],
            structured_content=structured,
            _meta=view,
        )


def plain_numbers(value: Any) -> Any:
    """Convert integral floats to integers. JavaScript clients rewrite 1.0 as 1 in the structured content, and show
    their model both text and structured content if the two differ."""
    if isinstance(value, dict):
        return {key: plain_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain_numbers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def beginning_with(state: IndexState, answer: Any) -> Any:
    """Return the answer with the notes on the index before everything else. Drop identity warnings if the index is
    empty."""
    if not state.notes:
        return answer
    if isinstance(answer, Answer):
        rest = [text for text in answer.warnings if text not in state.notes]
        others = [text for text in rest if not (state.empty and "identity" in text)]
        return answer.model_copy(update={"warnings": [*state.notes, *others]})
    if isinstance(answer, list):
        return [TextContent(type="text", text=" ".join(state.notes)), *answer]
    return answer


def _warned(answer: Any, warnings: Sequence[str]) -> Any:
    if not warnings or not isinstance(answer, Answer):
        return answer
    return answer.model_copy(update={"warnings": [*answer.warnings, *warnings]})


async def _for_the_view(answer: Any, context: Context[Any, Any]) -> dict[str, Any] | None:
    """Return the data for the evidence view, or None for a client without views."""
    if not isinstance(answer, Answer) or answer.to_show is None or not client_supports_apps(context):
        return None
    from server.evidence_claims import view_data

    return await anyio.to_thread.run_sync(view_data, answer.to_show)


class Line:
    """The log line of a call, written at its end. Without an outcome, the call was cancelled."""

    def __init__(self, facts: dict[str, Any], measures: Measures | None = None) -> None:
        self.call_id = secrets.token_hex(4)
        self._facts, self._measures = facts, measures or Measures()
        self._started = perf_counter()
        self._outcome, self._count = "Cancelled", 0
        self._error: BaseException | None = None

    def done(self, answer: Any) -> None:
        """Record the outcome of an answered call."""
        self._outcome, self._count = "ok", answer.counted if isinstance(answer, Answer) else 1
        if isinstance(answer, Answer):
            self._facts |= answer.facts
        if isinstance(answer, InputRequiredResult):  # the client will answer by calling again
            self._outcome, self._count = "AsksClient", 0
            methods = [request.method for request in (answer.input_requests or {}).values()]
            self._facts["asks_user"] = methods.count("elicitation/create")
            self._facts["asks_model"] = methods.count("sampling/createMessage")

    def failed(self, error: IbidError) -> None:
        """Record one of our errors."""
        self._outcome = error.type

    def refused(self, error: MCPError) -> None:
        """Record an error of the protocol."""
        self._outcome = f"MCPError {error.error.code}"

    def crashed(self, error: Exception) -> None:
        """Record a crash, with its traceback."""
        self._outcome, self._error = "InternalError", error

    def write(self) -> None:
        """Write the line with its outcome and duration in milliseconds."""
        took = round((perf_counter() - self._started) * 1000, 1)
        if "prompt_length" in self._facts:
            self._facts["latency_ms"] = took
        facts = {"call": self.call_id, **self._facts, **_costs(self._measures)}
        facts |= {"result_count": self._count, "duration_ms": took}
        if self._error:
            log.error("tool.call", outcome=self._outcome, exc_info=self._error, **facts)
        else:
            log.info("tool.call", outcome=self._outcome, **facts)


def _costs(measures: Measures) -> dict[str, Any]:
    """Return the time spent in the index and the service, and the number of requests, if they were used."""
    facts: dict[str, Any] = {}
    if measures.searches:
        facts["search_latency_ms"] = round(measures.search_ms, 1)
    if measures.requests:
        facts.setdefault("search_latency_ms", round(measures.service_ms, 1))
        facts |= {
            "service_latency_ms": round(measures.service_ms, 1),
            "requests": measures.requests,
            "request_id": measures.request_ids,
        }
        if not measures.filtered:
            facts["filter_applied"] = False
    if measures.tokens:
        facts["reasoning_tokens"] = measures.tokens
    return facts


def _model_questions(arguments: dict[str, Any]) -> dict[str, Any]:
    from tools.llm_generate import call_facts  # imported here because no other tool needs its imports

    return call_facts(arguments)


def _caller_label(caller: Caller) -> str:
    """Return the user, or the narrowest other principal of the caller."""
    groups = ",".join(sorted(caller.groups))
    known = (("department", caller.department), ("group", groups), ("org", caller.org_id))
    others = [f"{kind}:{name}" for kind, name in known if name]
    return caller.user_id or next(iter(others), "anonymous")


def _filters(filters: object, *, access: bool) -> list[str]:
    """Return the restrictions of a search: the access rule, if it applies, then the filters by name."""
    keys = sorted(str(key)[:40] for key in islice(filters, MAX_FILTERS)) if isinstance(filters, dict) else []
    return (["access"] if access else []) + keys
