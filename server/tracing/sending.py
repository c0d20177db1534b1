"""Send spans over OTLP/HTTP. Imported only where traces are on: needs the extra otel."""

from __future__ import annotations

import os
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

SERVICE = "service.name"
OWN_SESSION = tuple(f"OTEL_PYTHON_EXPORTER_OTLP_HTTP_{kind}CREDENTIAL_PROVIDER" for kind in ("", "TRACES_"))
_PLAIN_NAME = re.compile(r"[\w/.-]+( [\w.-]{1,64})?")


def provider(*, text: bool) -> TracerProvider:
    """The process's provider from here on. Address, headers, sampling and batches are OpenTelemetry's variables."""
    has_name = SERVICE in OTELResourceDetector().detect().attributes
    made = TracerProvider(resource=Resource.create({} if has_name else {SERVICE: "ibid"}))
    # Whoever names a session of their own, for credentials, gets that one.
    session = None if any(map(os.environ.get, OWN_SESSION)) else HeadsAlone()
    exporter: SpanExporter = OTLPSpanExporter(session=session)
    made.add_span_processor(BatchSpanProcessor(exporter if text else Discreet(exporter)))
    trace.set_tracer_provider(made)
    return made


class HeadsAlone(requests.Session):
    """Reads the status of an answer and no more, and follows nowhere: a receiver may answer without end."""

    def send(self, request: requests.PreparedRequest, **more: Any) -> requests.Response:
        response = super().send(request, **(more | {"stream": True, "allow_redirects": False}))
        response.close()
        response._content = b""
        return response


class Discreet(SpanExporter):
    """Hands spans on without what others write into them: words of an exception, and names that are none of ours."""

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
