"""Build the MCP server: tools, resources and prompts, for any transport."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

import anyio
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerMiddleware
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp.types import ToolAnnotations

from prompts.rag_system_prompt import NAME, server_instructions
from prompts.texts import OWN, PromptText
from server.calls.deadlines import WITH_A_MODEL
from server.calls.tool_call import CalledTool, CallLog
from server.evidence_view import evidence_app, of_tool
from server.mcp_prompts import add_completion, add_prompts
from server.mcp_resources import add_resources
from server.sdk_gaps.own_answers import add_middleware, add_tools
from server.sdk_gaps.subscriptions import Watch, add_listening, add_subscriptions
from tools import Maker, makers, view_makers
from tools.input_schemas import portable
from tools.protocol import LibraryOf, Models

PAGE_TOOL = "rag_show_page"

_WITHOUT = {
    "- `rag_show_page`: look at a figure or a page (tables, drawings, scans) before you say what it shows.\n": "",
    " `rag_show_page`(doc_id, page_number, block_id);": "",
    " or what you saw with `rag_show_page`": "",
    "rag_synthesize, rag_verify_answer or rag_show_page": "rag_synthesize or rag_verify_answer",
    " look at a figure with rag_show_page before you say what it shows,": "",
    " A model uses rag_show_page.": "",
}
"""Parts of our texts that mention `rag_show_page`, and their replacements."""


def without_page_tool(text: str) -> str:
    """Remove our mentions of `rag_show_page` from a text. Other text stays unchanged."""
    for mention, replacement in _WITHOUT.items():
        text = text.replace(mention, replacement)
    return text


def schema_without_page_tool(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema with descriptions that do not mention `rag_show_page`."""
    changed: dict[str, Any] = json.loads(without_page_tool(json.dumps(schema, ensure_ascii=False)))
    return changed


READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

ASKS_A_MODEL = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=True)
NO_MODELS = Models()
ALWAYS_LOADED = "rag_semantic_search"

_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")
_OWN_HOUR = CacheHint(ttl_ms=3_600_000, scope="private")
_HINTS: dict[CacheableMethod, CacheHint] = {
    # The result does not change while the process runs, and is the same for all callers.
    "prompts/list": _HOUR,
    "resources/templates/list": _HOUR,
    "server/discover": _HOUR,
    # The result depends on the client's capabilities, so gateways must not share it. Lists for clients with views are
    # not cached at all (`server.evidence_view`).
    "tools/list": _OWN_HOUR,
    # The result depends on the caller, and may change at any time.
    "resources/list": CacheHint(ttl_ms=0, scope="private"),
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
}

Lifespan = Callable[[MCPServer[Any]], AbstractAsyncContextManager[Any]]


@asynccontextmanager
async def no_lifespan(server: MCPServer[Any]) -> AsyncIterator[None]:
    """Provide a lifespan that does nothing."""
    yield


def build_server(
    library: LibraryOf, call_log: CallLog, *, models: Models = NO_MODELS,
    texts: Mapping[str, PromptText] = OWN, lifespan: Lifespan = no_lifespan, seconds: float | None = None,
    auth: AuthSettings | None = None, token_verifier: TokenVerifier | None = None,
    request_state_security: RequestStateSecurity | None = None,
    middleware: Sequence[ServerMiddleware[Any]] = (), watch: Watch | None = None, pages: bool = True,
) -> MCPServer[Any]:  # fmt: skip
    """Build the MCP server. `library` is not called before the first request that needs the index.

    `call_log.caller_of` identifies the caller of each call. `seconds` is the time limit for calls that read the index.
    `models` are the models that tools may use; `texts` are the prompts. `auth` and `token_verifier` authenticate
    callers over HTTP, where all processes of a service share `request_state_security`. `middleware` runs before the
    server's own middleware. With `watch`, clients can subscribe to changes. Without `pages`, no tool, resource or text
    offers page images.
    """
    listed = [maker for maker in makers(models) if pages or maker.name != PAGE_TOOL]
    prompt = texts[NAME] if pages else replace(texts[NAME], text=without_page_tool(texts[NAME].text))
    names = [maker.name for maker in listed]
    server: MCPServer[Any] = MCPServer(
        "ibid",
        title="Ibid: your documents, cited",
        description="Answers from the user's own documents, with text, figures and citations to file and page.",
        instructions=server_instructions(prompt),
        version=own_version(),
        extensions=[evidence_app()],
        middleware=middleware,
        auth=auth,
        token_verifier=token_verifier,
        request_state_security=request_state_security,
        cache_hints=_HINTS,
        lifespan=lifespan if watch is None else _watching(watch, lifespan),
        subscriptions=False,
    )
    tools = partial(_tool, library=library, call_log=call_log, seconds=seconds, pages=pages)
    add_tools(server, lambda: [tools(maker) for maker in (*listed, *view_makers())])
    add_middleware(server, call_log)
    add_resources(server, library, call_log.caller_of, seconds, pages=pages)
    add_prompts(server, names, prompt)
    add_completion(server, library, call_log.caller_of, names, seconds)
    if watch is not None:
        add_listening(server, watch, call_log.caller_of)
        server.middleware.append(add_subscriptions(server, watch, call_log.caller_of))
    return server


def _watching(watch: Watch, lifespan: Lifespan) -> Lifespan:
    @asynccontextmanager
    async def both(server: MCPServer[Any]) -> AsyncIterator[Any]:
        async with lifespan(server) as state, anyio.create_task_group() as tasks:
            tasks.start_soon(watch.run)
            try:
                yield state
            finally:
                tasks.cancel_scope.cancel()

    return both


def own_version() -> str:
    """Return the version of the installed package, or "0+checkout"."""
    try:
        return version("ibid-mcp")
    except PackageNotFoundError:  # the server runs from a checkout that was never installed
        return "0+checkout"


def _tool(maker: Maker, library: LibraryOf, call_log: CallLog, seconds: float | None, *, pages: bool) -> CalledTool:
    function = maker.make(library, call_log.caller_of)
    description = " ".join((function.__doc__ or "").split())
    if not pages:
        description = without_page_tool(description)
    made = CalledTool.from_function(
        function,
        title=maker.title,
        description=description,
        annotations=READ_ONLY if maker.reads_index else ASKS_A_MODEL,
        meta=(of_tool(function.__name__) | _search_hints(maker)) or None,
    )
    made.parameters = portable(made.parameters)
    if not pages and made.fn_metadata.output_schema:
        made.fn_metadata.output_schema = schema_without_page_tool(made.fn_metadata.output_schema)
    return cast(CalledTool, made).logged(call_log, _limit(maker, seconds), library if maker.reads_index else None)


def _search_hints(maker: Maker) -> dict[str, Any]:
    """Return metadata for clients that search for tools before they load them: keywords, and whether to always load the
    tool."""
    hints = {"anthropic/searchHint": maker.hint} if maker.hint else {}
    return hints | ({"anthropic/alwaysLoad": True} if maker.name == ALWAYS_LOADED else {})


def _limit(maker: Maker, seconds: float | None) -> float | None:
    if seconds is None or not maker.reads_index:
        return None
    return seconds + (WITH_A_MODEL if maker.writes else 0)
