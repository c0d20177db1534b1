"""A local OTLP receiver over HTTP, like a collector or Langfuse."""

from __future__ import annotations

import gzip
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PATH = "/api/public/otel/v1/traces"
"""Path of the endpoint in Langfuse."""


class TraceReceiver:
    """An async context manager. `spans` are the received protocol buffers, `headers` the headers of each request."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.services: set[str] = set()
        self.headers: list[dict[str, str]] = []
        self.bodies = b""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post(PATH, self._take)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    @property
    def endpoint(self) -> str:
        """Value of OTEL_EXPORTER_OTLP_ENDPOINT."""
        port = self._runner.addresses[0][1]
        return f"http://127.0.0.1:{port}{PATH.removesuffix('/v1/traces')}"

    async def _take(self, request: web.Request) -> web.Response:
        body = await request.read()
        body = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        self.headers.append(dict(request.headers))
        self.bodies += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.services |= {
                one.value.string_value for one in resource.resource.attributes if one.key == "service.name"
            }
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]
        return web.Response(content_type="application/x-protobuf")


def attributes(span: Any) -> dict[str, Any]:
    """Return the attributes by name, whatever their types."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}
