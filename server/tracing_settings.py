"""Settings of traces. OpenTelemetry's own variables name the destination."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from server.setting_fields import SettingsPart, variable

NOT_INSTALLED = (
    "RAG_TRACES needs packages that are not installed. pip install 'ibid-mcp[otel]', or set it to off."
)
NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


class TracingSettings(SettingsPart):
    """A part of `server.settings.Settings`."""

    traces: Literal["off", "otlp"] = variable(
        "RAG_TRACES",
        "off",
        "Whether `ibid serve` sends a trace of each call over OTLP/HTTP, to where OTEL_EXPORTER_OTLP_ENDPOINT and its "
        "like say; needs the extra otel. See docs/tracing.md.",
    )
    traces_text: bool = variable(
        "RAG_TRACES_TEXT",
        False,
        "Whether traces hold texts: arguments, queries, prompts, passages and answers. They go to everybody who may "
        "read the traces.",
    )


def exporter_is_installed() -> bool:
    """Whether the extra otel is there. Imports nothing."""
    return all(map(_is_there, NEEDED))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False
