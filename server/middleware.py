"""What the SDK would answer in its own words, put into ours: unknown tools and prompts, and the kind of an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from corpus.errors import InvalidRequest
from server.arguments import did_you_mean
from server.calls import CallLog, Line
from server.client_answers import readable_answers
from server.failures import failed
from server.prompt import ARGUMENTS, NAME

Request = ServerRequestContext[Any, Any]

_IMAGES = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "UklGR": "image/webp", "R0lGOD": "image/gif"}
"""How the first bytes of an image look in base64."""


def middleware_for(tools: Sequence[str], call_log: CallLog) -> list[ServerMiddleware[Any]]:
    async def unknown_tool(ctx: Request, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        name = (ctx.params or {}).get("name")
        if ctx.method == "tools/call" and name not in tools and isinstance(result, dict):
            return result | _unknown(str(name), tools, call_log)
        return result

    return [unknown_tool, known_prompt, kind_of_image, readable_answers]


async def known_prompt(ctx: Request, call_next: CallNext) -> HandlerResult:
    """Refuse an unknown prompt or argument; the SDK answers both with an internal error."""
    if ctx.method == "prompts/get":
        params = ctx.params or {}
        name, arguments = params.get("name"), params.get("arguments") or {}
        if isinstance(name, str) and name != NAME:
            raise _refused(f"Unknown prompt {name[:80]!r}. There is one: {NAME}.")
        for one in arguments if isinstance(arguments, dict) else ():
            if one not in ARGUMENTS:
                meant = did_you_mean(one, ARGUMENTS)
                raise _refused(f"Unknown argument {one[:80]!r}.{meant} {NAME} takes: {', '.join(ARGUMENTS)}.")
    return await call_next(ctx)


async def kind_of_image(ctx: Request, call_next: CallNext) -> HandlerResult:
    """Say what an image is by its bytes: one address may give a PNG, a JPEG or a WebP."""
    result = await call_next(ctx)
    if ctx.method == "resources/read" and isinstance(result, dict):
        for content in result.get("contents", ()):
            blob = content.get("blob", "")
            for start, kind in _IMAGES.items():
                if blob.startswith(start):
                    content["mimeType"] = kind
    return result


def _unknown(name: str, tools: Sequence[str], call_log: CallLog) -> dict[str, Any]:
    error = InvalidRequest(
        f"Unknown tool {name[:80]!r}.{did_you_mean(name, tools)} Tools are: {', '.join(tools)}."
    )
    line = Line(call_log.facts(name[:80], {}))
    line.failed(error)
    line.write()
    return failed(error).model_dump(
        mode="json", by_alias=True, exclude_none=True, include={"content", "is_error"}
    )


def _refused(message: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=message)
