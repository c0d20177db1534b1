"""Turn steps of work into spans, with the attributes of OpenTelemetry's conventions for generative AI, or `ibid.` names
where these have none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry.trace import SpanKind, Status, StatusCode, get_tracer

from corpus.errors import IbidError
from corpus.processes.tracing import Kind, Note, Tracer

_NAMES = {
    "model": "gen_ai.request.model",
    "host": "server.address",
    "provider": "gen_ai.provider.name",
    "max_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "source": "gen_ai.data_source.id",
    "top_k": "ibid.top_k",
    "results": "ibid.result_count",
    "mode": "ibid.search_mode",
    "claims": "ibid.claims",
    "unsupported": "ibid.unsupported_claims",
    "invalid": "ibid.invalid_citations",
}


def _parts(role: str) -> Callable[[str], str]:
    return lambda text: json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": text}]}], ensure_ascii=False
    )


_TEXTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "query": ("gen_ai.retrieval.query.text", str),
    "found": ("gen_ai.retrieval.documents", str),
    "system": (
        "gen_ai.system_instructions",
        lambda text: json.dumps([{"type": "text", "content": text}], ensure_ascii=False),
    ),
    "asked": ("gen_ai.input.messages", _parts("user")),
    "written": ("gen_ai.output.messages", _parts("assistant")),
}
_OPERATIONS = {"retrieval": "retrieval", "generation": "chat"}


def tracer(common: Mapping[str, str], *, text: bool, source: str) -> Tracer:
    """For one call; `common` stands on each span of it."""

    @contextmanager
    def opened(kind: Kind, facts: dict[str, object]) -> Iterator[Note]:
        operation = _OPERATIONS.get(kind)
        about = {"retrieval": source, "generation": facts.get("model")}.get(kind)
        attributes = dict(common) | ({"gen_ai.operation.name": operation} if operation else {})
        if kind == "retrieval":
            attributes["gen_ai.data_source.id"] = source
        with get_tracer("ibid").start_as_current_span(
            f"{operation or kind} {about}" if about else kind,
            kind=SpanKind.CLIENT if kind == "generation" else SpanKind.INTERNAL,
            attributes=attributes | attributes_of(facts, text=text),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield lambda **more: span.set_attributes(attributes_of(more, text=text))
            except Exception as error:
                span.set_attribute(
                    "error.type", error.type if isinstance(error, IbidError) else "InternalError"
                )
                span.set_status(Status(StatusCode.ERROR))
                raise

    return opened


def attributes_of(facts: Mapping[str, object], *, text: bool) -> dict[str, Any]:
    """Those facts that have a value, texts only where asked for."""
    plain = {_NAMES[key]: value for key, value in facts.items() if key in _NAMES and value is not None}
    if not text:
        return plain
    attributes = {name: shape(str(facts[key])) for key, (name, shape) in _TEXTS.items() if facts.get(key)}
    return plain | attributes
