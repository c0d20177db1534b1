"""Send progress notifications to clients that asked for them."""

from __future__ import annotations

from typing import Any

import anyio
import structlog
from mcp.server.mcpserver import Context

log = structlog.stdlib.get_logger("ibid")


STEPS_OF_A_ROUND = 10


class Progress:
    """Counts steps upwards, without a total because it is unknown.

    From protocol 2026-07-28 on, a call that asks its client something is repeated. The second round starts above the
    first.
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
