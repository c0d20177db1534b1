"""The server without the parts that belong to the evidence view, for comparison with the actual server."""

from __future__ import annotations

import sys
from typing import Any

from mcp.server.extension import Extension

from server import app, cli
from server.calls import tool_call
from server.sdk_gaps import own_answers


class Nothing(Extension):
    identifier = "bench/nothing"


async def untold(*_: object) -> None:
    """Return nothing. This replaces the function that adds the view's data to an answer."""


async def as_it_is(ctx: Any, call_next: Any) -> Any:
    """Pass the request on unchanged. This replaces the middleware that hides the view from a list."""
    return await call_next(ctx)


TAKEN_OUT = (
    (app, "evidence_app", Nothing),
    (app, "of_tool", lambda _: None),
    (app, "view_makers", tuple),
    (tool_call, "_for_the_view", untold),
    (own_answers, "is_hidden", lambda *_: False),
    (own_answers, "listed_for_views", as_it_is),
)

if __name__ == "__main__":
    for module, name, instead in TAKEN_OUT:
        assert hasattr(module, name), f"{module.__name__}.{name} is no longer there to be taken out"
        setattr(module, name, instead)
    sys.argv[1:] = ["serve"]
    cli.main()
