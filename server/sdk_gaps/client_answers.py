"""Repair what a client sends back to a question of a tool, so that no malformed answer ends the call.

The SDK refuses the whole call for one answer that it cannot read; here such an answer counts as none. A text in several
parts, as later revisions have it, becomes one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import CallToolRequestParams
from mcp_types.methods import validate_client_request
from pydantic import ValidationError

from corpus.errors import InvalidRequest
from server.calls.failures import refused_before

_ANSWERS = "inputResponses"
MAX_ANSWERS = 20
"""Answers in a call. A tool asks at most two questions."""


async def readable_answers(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """MCP middleware that drops unreadable answers, which then count as missing, and refuses too many."""
    params = ctx.params or {}
    if ctx.method != "tools/call" or _ANSWERS not in params:
        return await call_next(ctx)
    answers = params[_ANSWERS] if isinstance(params[_ANSWERS], Mapping) else {}
    if len(answers) > MAX_ANSWERS:
        return refused_before(ctx, InvalidRequest(f"At most {MAX_ANSWERS} inputResponses are taken."))
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
    """Whether the SDK accepts the answer, by protocol revision and by its own model."""
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
