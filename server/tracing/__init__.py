"""Trace calls with OpenTelemetry: spans within the span that the MCP SDK opens for each message. OpenTelemetry's
SDK is imported only if traces are on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import structlog
from mcp.server.context import ServerMiddleware

from server.settings.model import Settings
from server.settings.telemetry import NOT_INSTALLED, exporter_is_installed

log = structlog.stdlib.get_logger("ibid")

__all__ = ["traced", "traced_calls"]


@contextmanager
def traced(settings: Settings) -> Iterator[None]:
    """Export traces inside the block, and flush them at the end. If the packages are missing, log it and continue
    without traces."""
    if not _are_on(settings):
        if settings.traces != "off":
            log.warning("traces.unavailable", reason=NOT_INSTALLED)
        yield
        return
    from server.tracing.sending import provider

    made = provider(text=settings.traces_text)
    try:
        yield
    finally:
        made.shutdown()


def traced_calls(settings: Settings, *, one_client: bool = False) -> Sequence[ServerMiddleware[Any]]:
    """Middleware that creates spans for calls, if traces are on. With `one_client`, all calls belong to one session."""
    if not _are_on(settings):
        return ()
    from server.tracing.calls import TracedCalls

    return (TracedCalls(text=settings.traces_text, source=settings.backend, one_client=one_client),)


def _are_on(settings: Settings) -> bool:
    return settings.traces != "off" and exporter_is_installed()
