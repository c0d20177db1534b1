"""The view over HTTP: under the rights of the token, in the audit, and with addresses that a browser can fetch."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from corpus.documents.block import Picture
from corpus.index.protocol import NewBlock
from server.http.picture_urls import PATH
from tests.doubles.client_model import ClientModel
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.evidence_view.viewing import VIEWS, told, units
from tests.http.site import Site
from tests.server.desk import ERAS, PNG, answer_in, failure_in, figure, manual, passage

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ERAS)]

TOOL = "rag_show_evidence"
CAPTION = "Figure 3: Impeller, exploded view"


class Gallery(Site):
    """A site whose manual has a picture for its figure."""

    async def _fill(self) -> None:
        await super()._fill()
        shown = figure(CAPTION, access_control_list=("*",))
        said = passage("The impeller of Figure 3 turns 900 times a minute.", page=2, access_control_list=("*",))
        await self.index.replace(manual(), [NewBlock(said), NewBlock(shown, Picture(PNG, "image/png"))])


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with in_thread(Issuer()) as running:
        yield running


@pytest.fixture(scope="module")
def site(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("viewed")
    variables = {
        **issuer.settings,
        "RAG_AUDIT_FILE": str(folder / "audit.jsonl"),
        "RAG_HTTP_KEYS": "k" * 32,
    }
    with in_thread(Gallery(folder, variables)) as running:
        yield running


async def test_the_token_decides_what_is_shown_and_each_call_is_logged_in_the_audit(
    site: Site, issuer: Issuer, era: str
) -> None:
    block = {"block_id": "salaries-p1-1"}
    async with site.client(era, token=issuer.token("bob"), extensions=VIEWS) as client:
        hidden = failure_in(await client.call_tool(TOOL, block))
        missing = failure_in(await client.call_tool(TOOL, {"block_id": "salaries-p9-9"}))
    async with site.client(era, token=issuer.token("ann"), extensions=VIEWS) as client:
        shown = answer_in(await client.call_tool(TOOL, block))

    assert hidden["error"].replace("p1-1", "") == missing["error"].replace("p9-9", "")
    assert "secret" in shown["text"]
    assert site.settings.audit_file
    refused, _, given = map(json.loads, site.settings.audit_file.read_text().splitlines()[-3:])
    assert [refused[key] for key in ("name", "user", "asked", "documents", "outcome")] == [
        TOOL, "bob", ["salaries-p1-1"], [], "DocumentNotFound",
    ]  # fmt: skip
    assert [given[key] for key in ("name", "user", "documents", "outcome")] == [
        TOOL,
        "ann",
        ["salaries"],
        "ok",
    ]


async def test_claim_positions_are_correct_after_the_address_of_a_picture(site: Site, issuer: Issuer, era: str) -> None:
    model = ClientModel(f"![{CAPTION}](rag://blocks/pump-p2-f1/image)\n\nIt turns 900 times a minute [1].")
    async with site.client(era, token=issuer.token("ann"), model=model, extensions=VIEWS) as client:
        result = await client.call_tool(
            "rag_synthesize",
            {"query": "How often does it turn?", "block_ids": ["pump-p1-1", "pump-p2-f1"], "mode": "llm"},
        )

    answer = answer_in(result)["answer"]
    last = told(result)["claims"][-1]
    assert last[0] > answer.index(PATH)
    assert units(answer, *last[:2]) == "It turns 900 times a minute [1]."
