"""Questions to the user over HTTP: in separate requests in the newer protocol, within the call in the older one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from corpus.index.protocol import NewBlock
from tests.answers import documents_in
from tests.doubles.client_model import ClientModel
from tests.doubles.in_thread import in_thread
from tests.doubles.user import User, chooses, declines
from tests.http.site import Site
from tests.server.desk import answer_in, failure_in, manual, passage

pytestmark = pytest.mark.anyio


class Reports(Site):
    """A site with two public reports, and one that only ann may read."""

    async def _fill(self) -> None:
        await super()._fill()
        for doc_id in ("north", "south"):
            report = manual(doc_id, title=f"Report {doc_id}", document_type="Report")
            text = passage(f"The revenue of the {doc_id} grew.", doc_id=doc_id)
            await self.index.replace(report, [NewBlock(replace(text, access_control_list=("*",)))])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with in_thread(Reports(tmp_path_factory.mktemp("reports"))) as running:
        yield running


async def test_the_call_continues_with_the_choice_and_then_the_clients_model(site: Site, era: str) -> None:
    user, model = User(chooses("south")), ClientModel("The revenue grew [1].")
    async with site.client(era, model=model, elicitation_callback=user) as client:
        found = answer_in(await client.call_tool("rag_get_document", {"name": "report"}))
        made = answer_in(await client.call_tool("rag_synthesize", {"query": "Summarise the report"}))

    assert found["document"]["doc_id"] == "south"
    assert documents_in(made) == {"south"}
    assert [len(user.choices), len(user.forms)] == [2, 2]


async def test_a_forged_choice_and_a_refusal_end_with_the_options(site: Site, era: str) -> None:
    async with site.client(era, elicitation_callback=User(chooses("salaries"), declines)) as client:
        forged = failure_in(await client.call_tool("rag_get_document", {"name": "report"}))
        refused = failure_in(await client.call_tool("rag_get_document", {"name": "report"}))

    assert forged["type"] == refused["type"] == "AmbiguousDocument"
    assert forged["hints"] == refused["hints"]
    assert "salaries" not in str(forged)
