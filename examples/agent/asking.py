"""Questions to the user: those that the server asks (MCP elicitation), and how a terminal answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from mcp.client.session import ElicitationFnT
from mcp.types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from .events import Event, EventType

Ask = Callable[[str, Sequence[str]], Awaitable[str | None]]


def by_elicitation(ask: Ask, emit: Callable[[Event], None]) -> ElicitationFnT:
    """A callback for `Client`: the server's form has one field, which takes a choice or its number."""

    async def answered(context: object, params: ElicitRequestParams) -> ElicitResult:
        if not isinstance(params, ElicitRequestFormParams):
            return ElicitResult(action="decline")
        name, field = next(iter(params.requested_schema["properties"].items()))
        options = [one["title"] for one in field.get("oneOf", ())]
        emit(Event(EventType.ASK_USER, {"question": params.message, "options": options, "waits": False}))
        answer = await ask(params.message, options)
        return ElicitResult(action="accept", content={name: answer}) if answer else ElicitResult(action="decline")

    return answered


async def ask_on_terminal(question: str, options: Sequence[str]) -> str | None:
    """The line that the user types; None for an empty one."""
    listed = "" if question.count("\n") >= len(options) else "\n" + "\n".join(options)
    return (await asyncio.to_thread(input, f"\n{question}{listed}\n> ")).strip() or None
