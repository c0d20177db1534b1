"""Export spans over OTLP/HTTP. This needs the extra otel, so it is imported only when traces are on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import requests
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Status

from server.settings.model import any_is_set

SERVICE = "service.name"
OWN_SESSION = tuple(f"OTEL_PYTHON_EXPORTER_OTLP_HTTP_{kind}CREDENTIAL_PROVIDER" for kind in ("", "TRACES_"))
_PLAIN_NAME = re.compile(r"[\w/.-]+( [\w.-]{1,64})?")


def provider(*, text: bool) -> TracerProvider:
    """Install and return the process's tracer provider. OpenTelemetry's own variables set address, headers, sampling
    and batch size. Without `text`, spans are exported without exception messages and client-chosen names."""
    has_name = SERVICE in OTELResourceDetector().detect().attributes
    tracer_provider = TracerProvider(resource=Resource.create({} if has_name else {SERVICE: "ibid"}))
    # A session configured by a credential provider takes precedence over ours.
    session = None if any_is_set(OWN_SESSION) else HeadsAlone()
    exporter: SpanExporter = OTLPSpanExporter(session=session)
    tracer_provider.add_span_processor(BatchSpanProcessor(exporter if text else Discreet(exporter)))
    trace.set_tracer_provider(tracer_provider)
    return tracer_provider


class HeadsAlone(requests.Session):
    """A session that reads only the status and headers of a response, because a receiver's body may be endless. It
    follows no redirects."""

    def send(self, request: requests.PreparedRequest, **more: Any) -> requests.Response:
        """See `requests.Session`. The response's body is empty."""
        response = super().send(request, **(more | {"stream": True, "allow_redirects": False}))
        response.close()
        response._content = b""
        return response


class Discreet(SpanExporter):
    """An exporter that strips foreign text from spans: exception messages, and tool or prompt names that are not
    ours."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """See `SpanExporter`."""
        return self._exporter.export([_bare(span) for span in spans])

    def shutdown(self) -> None:
        """See `SpanExporter`."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """See `SpanExporter`."""
        return self._exporter.force_flush(timeout_millis)


def _bare(span: ReadableSpan) -> ReadableSpan:
    odd = not _PLAIN_NAME.fullmatch(span.name)
    names = ("gen_ai.tool.name", "gen_ai.prompt.name")
    return ReadableSpan(
        name=span.name.partition(" ")[0][:64] if odd else span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={k: v for k, v in (span.attributes or {}).items() if not (odd and k in names)},
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )
