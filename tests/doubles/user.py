"""The scripted user of a client: their answers to forms, in order. The last answer repeats.

user = User(chooses("q2"))
async with desk.client(era, elicitation_callback=user) as client: ...
assert "1. Report" in user.forms[0].message
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.types import ElicitRequestFormParams, ElicitResult, ErrorData

Act = Callable[[ElicitRequestFormParams], Awaitable[Any]]


class User:
    """An elicitation callback. `forms` are the forms that were shown."""

    def __init__(self, *acts: Act) -> None:
        self._acts = acts
        self.forms: list[ElicitRequestFormParams] = []

    async def __call__(self, context: Any, params: ElicitRequestFormParams) -> Any:
        act = self._acts[min(len(self.forms), len(self._acts) - 1)]
        self.forms.append(params)
        return await act(params)

    @property
    def choices(self) -> list[str]:
        """Return the titles of the choices of the first form."""
        return [one["title"] for one in self.forms[0].requested_schema["properties"]["document"]["oneOf"]]


def chooses(value: Any) -> Act:
    async def act(params: ElicitRequestFormParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"document": value})

    return act


def after(change: Callable[[], Awaitable[Any]], then: Act) -> Act:
    """Make a change while the form is open."""

    async def act(params: ElicitRequestFormParams) -> Any:
        await change()
        return await then(params)

    return act


async def declines(params: ElicitRequestFormParams) -> ElicitResult:
    return ElicitResult(action="decline")


async def cancels(params: ElicitRequestFormParams) -> ElicitResult:
    return ElicitResult(action="cancel")


async def fills_in_nothing(params: ElicitRequestFormParams) -> ElicitResult:
    return ElicitResult(action="accept", content={})


async def accepts_without_a_form(params: ElicitRequestFormParams) -> ElicitResult:
    return ElicitResult(action="accept")


async def fails(params: ElicitRequestFormParams) -> ErrorData:
    return ErrorData(code=-32603, message="the client's own words")


async def hangs(params: ElicitRequestFormParams) -> None:
    await anyio.sleep_forever()
