"""One address for two protocol generations, with the SDK's own client over a real socket."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doubles.client_model import ClientModel, declines
from tests.http.site import Site
from tests.server.desk import answer_in

pytestmark = pytest.mark.anyio

QUESTION = "How does the pump work? impeller"


async def test_a_search_is_answered_with_public_documents_only(site: Site, era: str) -> None:
    async with site.client(era) as client:
        answer = answer_in(await client.call_tool("rag_semantic_search", {"query": "salary impeller"}))

    assert {one["doc_id"] for one in answer["documents"]} == {"pump"}


async def test_the_clients_model_writes_the_answer(site: Site, era: str) -> None:
    model = ClientModel("It moves water [1].")
    async with site.client(era, model=model) as client:
        answer = answer_in(await client.call_tool("rag_synthesize", {"query": QUESTION}))

    assert len(model.requests) == 1
    assert f"Question: {QUESTION}" in model.prompts[0]
    assert (answer["mode"], answer["model"]) == ("llm", "The client's model")
    assert answer["answer"].startswith("It moves water [1].")


async def test_a_client_whose_model_declines_still_gets_an_answer(site: Site) -> None:
    async with site.client("legacy", model=ClientModel(declines)) as client:
        answer = answer_in(await client.call_tool("rag_synthesize", {"query": QUESTION}))

    assert answer["mode"] == "compose"


async def test_progress_of_a_call_is_reported(site: Site, era: str) -> None:
    heard: list[Any] = []

    async def progress(done: float, total: float | None, text: str | None) -> None:
        heard.append(text)

    async with site.client(era) as client:
        await client.call_tool("rag_synthesize", {"query": QUESTION}, progress_callback=progress)

    assert heard
