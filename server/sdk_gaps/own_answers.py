"""Replace the SDK's answers for unknown tools and prompts, and its media types of images.

Tools are created when a client first needs them, so that `initialize` does not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool, ToolManager
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolRequestParams, Prompt
from mcp_types.methods import validate_client_request
from pydantic import ValidationError

from corpus.errors import IbidError, InvalidRequest
from server.calls.arguments import did_you_mean
from server.calls.failures import refused_before
from server.calls.tool_call import CallLog, Line
from server.evidence_view import is_hidden, listed_for_views

_ANSWERS = "inputResponses"
MAX_ANSWERS = 20
"""Maximum number of a client's answers in a call. A tool asks at most two questions."""


async def readable_answers(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """MCP middleware that drops a client's unreadable answers, which then count as missing, and refuses a call with too
    many answers."""
    params = ctx.params or {}
    if ctx.method != "tools/call" or _ANSWERS not in params:
        return await call_next(ctx)
    answers = params[_ANSWERS] if isinstance(params[_ANSWERS], Mapping) else {}
    if len(answers) > MAX_ANSWERS:
        return refused_before(ctx, InvalidRequest(f"At most {MAX_ANSWERS} inputResponses are accepted."))
    joined = {key: _in_one_part(answer) for key, answer in answers.items()}
    kept = {key: answer for key, answer in joined.items() if _is_readable(ctx, key, answer)}
    return await call_next(replace(ctx, params={**params, _ANSWERS: kept}))


def _in_one_part(answer: Any) -> Any:
    content = answer.get("content") if isinstance(answer, Mapping) else None
    if not isinstance(content, list) or not content or not all(map(_is_text, content)):
        return answer
    return {**answer, "content": {"type": "text", "text": "".join(one["text"] for one in content)}}


def _is_text(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _is_readable(ctx: ServerRequestContext[Any, Any], key: str, answer: Any) -> bool:
    """Return whether the SDK accepts the answer, according to the protocol revision and the SDK's model class."""
    alone = {"name": "any", _ANSWERS: {key: answer}}
    try:
        validate_client_request(ctx.method, ctx.protocol_version, _with_meta(ctx, alone))
        CallToolRequestParams.model_validate(alone, by_name=False)
    except (ValidationError, ValueError, KeyError):
        return False
    return True


def _with_meta(ctx: ServerRequestContext[Any, Any], params: dict[str, Any]) -> dict[str, Any]:
    meta = (ctx.params or {}).get("_meta")
    return params if meta is None else params | {"_meta": meta}


Request = ServerRequestContext[Any, Any]

_IMAGES = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "UklGR": "image/webp", "R0lGOD": "image/gif"}
"""First bytes of image formats in base64, with their media types."""


_NOT_TAKEN = {"mcp": "resource_link", "google-adk": "image"}
"""Content types that clients mishandle, by client name. Frameworks such as LangChain report the SDK's default name,
"mcp". LangChain passes a link on as a file, and OpenAI's chat completions API then refuses the entire request. Google's
ADK puts a picture's bytes into the text, where they cost a hundred thousand tokens."""


def add_middleware(server: MCPServer[Any], call_log: CallLog) -> None:
    """Add our middleware after the server's existing middleware."""

    async def unknown_tool(ctx: Request, call_next: CallNext) -> HandlerResult:
        if ctx.method != "tools/call":
            return await call_next(ctx)
        name = (ctx.params or {}).get("name")
        if is_hidden(name, ctx):
            return refused_before(ctx, await unknown(str(name), ctx))
        result = await call_next(ctx)
        if not isinstance(result, dict) or not result.get("isError"):
            return result
        known = any(tool.name == name for tool in await server.list_tools())
        return result if known else result | refused_before(ctx, await unknown(str(name), ctx))

    async def unknown(name: str, ctx: Request) -> IbidError:
        tools = [tool.name for tool in await server.list_tools() if not is_hidden(tool.name, ctx)]
        return _unknown(name, tools, call_log)

    async def known_prompt(ctx: Request, call_next: CallNext) -> HandlerResult:
        """Refuse an unknown prompt or argument. The SDK would answer both with an internal error."""
        if ctx.method == "prompts/get":
            _check_prompt(ctx.params or {}, await server.list_prompts())
        return await call_next(ctx)

    server.middleware.extend(
        [unknown_tool, known_prompt, listed_for_views, kind_of_image, content_that_is_taken, readable_answers]
    )


def _check_prompt(params: Mapping[str, Any], prompts: Sequence[Prompt]) -> None:
    name, arguments = params.get("name"), params.get("arguments") or {}
    known = {prompt.name: [argument.name for argument in prompt.arguments or ()] for prompt in prompts}
    if not isinstance(name, str):
        return
    if name not in known:
        raise _refused(f"Unknown prompt {name[:80]!r}. {_those(list(known))}")
    for argument in arguments if isinstance(arguments, dict) else ():
        if argument not in known[name]:
            meant = did_you_mean(argument, known[name])
            raise _refused(f"Unknown argument {argument[:80]!r}.{meant} {name} takes: {', '.join(known[name])}.")


def _those(names: Sequence[str]) -> str:
    return f"There is one: {names[0]}." if len(names) == 1 else f"There are: {', '.join(names)}."


async def kind_of_image(ctx: Request, call_next: CallNext) -> HandlerResult:
    """Set the media type of an image according to its bytes: the same URI may return a PNG, JPEG or WebP."""
    result = await call_next(ctx)
    if ctx.method == "resources/read" and isinstance(result, dict):
        for content in result.get("contents", ()):
            blob = content.get("blob", "")
            for start, kind in _IMAGES.items():
                if blob.startswith(start):
                    content["mimeType"] = kind
    return result


def _unknown(name: str, tools: Sequence[str], call_log: CallLog) -> IbidError:
    error = InvalidRequest(f"Unknown tool {name[:80]!r}.{did_you_mean(name, tools)} Tools are: {', '.join(tools)}.")
    line = Line(call_log.facts(name[:80], {}))
    line.failed(error)
    line.write()
    return error


def _refused(message: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=message)


async def content_that_is_taken(ctx: Request, call_next: CallNext) -> HandlerResult:
    """Omit content that the client mishandles. The text names every figure and picture anyway."""
    result = await call_next(ctx)
    client = ctx.session.client_params
    kind = _NOT_TAKEN.get(client.client_info.name) if client else None
    if kind is None or ctx.method != "tools/call" or not isinstance(result, dict) or "content" not in result:
        return result
    return result | {"content": [part for part in result["content"] if part.get("type") != kind]}


class LaterTools(ToolManager):
    """The SDK's tool manager, with tools created on first use."""

    def __init__(self, make: Callable[[], Iterable[Tool]]) -> None:
        self._make = make
        self.warn_on_duplicate_tools = True

    @cached_property
    def _tools(self) -> dict[str, Tool]:  # type: ignore[override]
        return {tool.name: tool for tool in self._make()}


def add_tools(server: MCPServer[Any], make: Callable[[], Iterable[Tool]]) -> None:
    """Replace the server's tools."""
    # The SDK has no public way to add tools of another class later.
    server._tool_manager = LaterTools(make)
