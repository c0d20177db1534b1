"""Read the earlier rounds of a call. From protocol 2026-07-28 on, a client answers a question by calling the tool
again.

The client returns the SDK's sealed state with each round. This file reads two parts of it: the questions with which the
last round ended, and the answers from earlier rounds. If the state is unreadable, the call counts as a first round.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mcp.server.mcpserver import Context
from mcp_types.version import is_version_at_least

_ANSWERS_BY_CALLING_AGAIN = "2026-07-28"
Resolver = TypeVar("Resolver", bound=Callable[..., Any])


def calls_again(ctx: Context[Any, Any]) -> bool:
    """Return whether the client answers a question by calling the tool again (protocol 2026-07-28 or later)."""
    version = ctx.protocol_version
    return version is not None and is_version_at_least(version, _ANSWERS_BY_CALLING_AGAIN)


def key_of(resolver: Callable[..., Any]) -> str:
    """Return the key of a resolver's question on the wire. A tool must use each resolver only once."""
    return f"{resolver.__module__}:{resolver.__qualname__}"


def question(name: str) -> Callable[[Resolver], Resolver]:
    """Give a resolver's question the key `ibid:NAME`. The SDK derives the key from the resolver's module and qualified
    name."""

    def renamed(resolver: Resolver) -> Resolver:
        resolver.__module__, resolver.__qualname__ = "ibid", name
        return resolver

    return renamed


def ended_with_question(ctx: Context[Any, Any], key: str) -> bool:
    """Return whether the last round ended with this question. If it did and there is no answer, the client did not give
    one."""
    return key in _part(ctx, "asked")


def taken(ctx: Context[Any, Any], key: str) -> Any:
    """Return the answer to this question from an earlier round of the call, or None."""
    entry = _part(ctx, "outcomes").get(key)
    return entry.get("data") if isinstance(entry, Mapping) else None


def _part(ctx: Context[Any, Any], name: str) -> Mapping[str, Any]:
    try:
        state = json.loads(ctx.request_state or "{}")
    except ValueError:
        return {}
    part = state.get(name) if isinstance(state, Mapping) else None
    return part if isinstance(part, Mapping) else {}
