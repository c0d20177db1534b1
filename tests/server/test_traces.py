"""Traces of a call, with an exporter that stores spans in memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from mcp import Client
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from corpus.access import ANONYMOUS
from corpus.generation.openai_generator import ChatEndpoint
from corpus.library import Library
from corpus.synthesis.prompting import Instructions
from corpus.synthesis.writer import Pen
from prompts.texts import OWN
from server.app import build_server
from server.calls.tool_call import CallLog
from server.tracing import TracedCalls, _json
from server.tracing_export import Discreet
from tests.doubles.chat_service import MODEL, ChatService
from tests.server.desk import Desk

pytestmark = pytest.mark.anyio

SECRET_WORD = "centrifugal"
QUESTION = {"query": f"How does the {SECRET_WORD} impeller work?"}
ANSWER = f"The pump moves water with a {SECRET_WORD} impeller [1]."


@pytest.fixture(scope="session")
def exporters() -> tuple[InMemorySpanExporter, InMemorySpanExporter]:
    """Exporters of complete spans, and of spans without text. A process has one provider for its entire life."""
    whole, bare = InMemorySpanExporter(), InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(whole))
    provider.add_span_processor(SimpleSpanProcessor(Discreet(bare)))
    trace.set_tracer_provider(provider)
    return whole, bare


@pytest.fixture
def whole(exporters: tuple[InMemorySpanExporter, InMemorySpanExporter]) -> Iterator[InMemorySpanExporter]:
    for one in exporters:
        one.clear()
    return exporters[0]


@pytest.fixture
def bare(
    whole: InMemorySpanExporter, exporters: tuple[InMemorySpanExporter, InMemorySpanExporter]
) -> InMemorySpanExporter:
    return exporters[1]


@pytest.fixture
async def writing(stocked: Desk) -> AsyncIterator[Library]:
    """A library with a model that writes."""
    async with ChatService() as service:
        service.says = lambda body: ANSWER
        endpoint = ChatEndpoint(MODEL, service.base_url, service.key)
        pen = Pen(Instructions(OWN["synthesis"].text, OWN["synthesis"].version), endpoint, keep=0)
        yield Library(stocked.index, None, pen=pen)
        await endpoint.aclose()


def client(library: Library, *, text: bool = False, era: str = "auto") -> Client:
    async def opened() -> Library:
        return library

    traced = TracedCalls(text=text, source="local", one_client=True)
    server = build_server(opened, CallLog(lambda: ANONYMOUS), middleware=[traced])
    return Client(server, mode=era)  # type: ignore[arg-type]


def of_call(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    """Return the spans of the only call of a tool, by the first word of their names."""
    spans = exporter.get_finished_spans()
    (call,) = [one for one in spans if one.name.startswith("tools/call") and one.kind is trace.SpanKind.SERVER]
    assert call.context
    ours = [one for one in spans if one.instrumentation_scope and one.instrumentation_scope.name == "ibid"]
    mine = [one for one in ours if one.context and one.context.trace_id == call.context.trace_id]
    return {one.name.split()[0]: one for one in [call, *mine]}


async def test_a_call_is_one_trace_of_retrieval_generation_and_verification(
    whole: InMemorySpanExporter, writing: Library, era: str
) -> None:
    async with client(writing, era=era) as asking:
        result = await asking.call_tool("rag_synthesize", QUESTION)
    assert result.structured_content is not None
    assert result.structured_content["mode"] == "llm"
    spans = of_call(whole)
    assert list(spans) == ["tools/call", "retrieval", "chat", "verification"]
    call, retrieval, chat, verification = (dict(one.attributes or {}) for one in spans.values())
    assert call["gen_ai.operation.name"] == "execute_tool"
    assert (call["gen_ai.tool.name"], call["mcp.method.name"]) == ("rag_synthesize", "tools/call")
    assert call["ibid.outcome"] == "ok"
    assert call["ibid.confidence"] == result.structured_content["confidence"]
    assert (retrieval["gen_ai.operation.name"], retrieval["gen_ai.data_source.id"]) == ("retrieval", "local")
    assert int(str(retrieval["ibid.result_count"])) > 0
    assert spans["chat"].kind is trace.SpanKind.CLIENT
    assert chat["gen_ai.request.model"] == MODEL
    assert (chat["gen_ai.usage.input_tokens"], chat["gen_ai.usage.output_tokens"]) == (11, 7)
    assert (verification["ibid.claims"], verification["ibid.unsupported_claims"]) == (1, 0)
    assert len({one["session.id"] for one in (call, retrieval, chat, verification)}) == 1


async def test_a_trace_contains_no_text_unless_configured(whole: InMemorySpanExporter, writing: Library) -> None:
    async with client(writing) as asking:
        await asking.call_tool("rag_synthesize", QUESTION)
    ours = "".join(one.to_json() for one in of_call(whole).values())
    assert SECRET_WORD not in ours
    whole.clear()
    async with client(writing, text=True) as asking:
        await asking.call_tool("rag_synthesize", QUESTION)
    call, retrieval, chat, _ = (dict(one.attributes or {}) for one in of_call(whole).values())
    assert json.loads(str(call["gen_ai.tool.call.arguments"])) == QUESTION
    assert ANSWER.removesuffix(" [1].") in str(call["gen_ai.tool.call.result"])
    assert retrieval["gen_ai.retrieval.query.text"] == QUESTION["query"]
    assert json.loads(str(chat["gen_ai.output.messages"]))[0]["parts"][0]["content"] == ANSWER
    assert QUESTION["query"] in str(chat["gen_ai.input.messages"])


async def test_a_trace_and_a_session_of_the_client_are_continued(
    whole: InMemorySpanExporter, stocked: Desk, era: str
) -> None:
    """The SDK's client passes its own span in `_meta`, with the session as baggage."""
    with trace.get_tracer("a client").start_as_current_span("its work") as own:
        async with client(stocked.library, era=era) as asking:
            meta: Any = {"baggage": "session.id=talk-7"}
            await asking.call_tool("rag_semantic_search", QUESTION, meta=meta)
    for span in of_call(whole).values():
        assert span.context
        assert span.context.trace_id == own.get_span_context().trace_id
        assert (span.attributes or {})["session.id"] == "talk-7"


async def test_a_failure_is_traced_by_its_type_and_without_its_text(bare: InMemorySpanExporter, stocked: Desk) -> None:
    async with client(stocked.library) as asking:
        await asking.call_tool("rag_get_document", {"doc_id": SECRET_WORD})
        with pytest.raises(Exception, match="Unknown prompt"):
            await asking.get_prompt(f"{SECRET_WORD} of mine: ä")
    (call,) = [
        one for one in bare.get_finished_spans()
        if one.name.startswith("tools/call") and one.kind is trace.SpanKind.SERVER
    ]  # fmt: skip
    assert (call.attributes or {})["ibid.outcome"] == "DocumentNotFound"
    assert call.status.status_code is trace.StatusCode.ERROR
    server_side = [one for one in bare.get_finished_spans() if one.kind is trace.SpanKind.SERVER]
    assert "prompts/get" in {one.name for one in server_side}
    assert SECRET_WORD not in "".join(one.to_json() for one in server_side)


def test_no_address_signature_is_in_a_trace() -> None:
    address = "https://ibid.blob.core.windows.net/p/a.png?se=2026-03-01&sp=r&sig=abc%2Bdef%3D"
    answer = {"results": [{"image_url": address}], "answer": f"![x]({address}) sig=word"}
    told = _json(answer)
    assert "abc%2Bdef" not in told
    assert told.count("&sig=...") == 2
    assert "sig=word" in told
