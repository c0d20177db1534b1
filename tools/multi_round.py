"""Read earlier rounds of one call: from 2026-07-28 on, a client answers a question by calling again.

The state that comes back with it is the SDK's own, sealed on its way; of it two things are read here: which questions
the last round ended with, and which answers were taken in earlier ones. Where it cannot be read, nothing went before,
and the question is asked anew.
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
    """Whether the client answers a question by calling again (protocol from 2026-07-28 on)."""
    version = ctx.protocol_version
    return version is not None and is_version_at_least(version, _ANSWERS_BY_CALLING_AGAIN)


def key_of(resolver: Callable[..., Any]) -> str:
    """The name under which the question of a resolver goes out, for a tool that has each resolver once."""
    return f"{resolver.__module__}:{resolver.__qualname__}"


def question(name: str) -> Callable[[Resolver], Resolver]:
    """Have the question of a resolver go out as `ibid:NAME`; the SDK makes the name from where the code stands."""

    def renamed(resolver: Resolver) -> Resolver:
        resolver.__module__, resolver.__qualname__ = "ibid", name
        return resolver

    return renamed


def was_asked(ctx: Context[Any, Any], key: str) -> bool:
    """Whether the last round ended with this question, so that an answer that is not there was not given."""
    return key in _part(ctx, "asked")


def taken(ctx: Context[Any, Any], key: str) -> Any:
    """The answer that an earlier round of this call took to this question, None for none."""
    entry = _part(ctx, "outcomes").get(key)
    return entry.get("data") if isinstance(entry, Mapping) else None


def _part(ctx: Context[Any, Any], name: str) -> Mapping[str, Any]:
    try:
        state = json.loads(ctx.request_state or "{}")
    except ValueError:
        return {}
    part = state.get(name) if isinstance(state, Mapping) else None
    return part if isinstance(part, Mapping) else {}
