"""Trace calls with OpenTelemetry: spans within the span that the MCP SDK opens for each message. Nothing of
OpenTelemetry's SDK is imported while traces are off."""

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
    """Traces are sent from here on, and what is left of them at the end. Without the packages that send them the server
    works on without traces, and the log says so."""
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
    """What makes spans of a call's work: none where traces are off. With one client, all its calls are one session."""
    if not _are_on(settings):
        return ()
    from server.tracing.calls import TracedCalls

    return (TracedCalls(text=settings.traces_text, source=settings.backend, one_client=one_client),)


def _are_on(settings: Settings) -> bool:
    return settings.traces != "off" and exporter_is_installed()
