"""Documents give orders to a model, and models obey: the answer contains no external link and no forged citation."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from tests.answers import documents_in
from tests.doubles.client_model import ClientModel
from tests.doubles.user import User, declines
from tests.http.raw import ask, modern
from tests.redteam.attacker import answer
from tests.redteam.fort import FORBIDDEN, Fort
from tests.redteam.orders import CARRIED, FENCES, FOREIGN, FORGED, NAMES, SOURCE, TRUE
from tests.server.desk import answer_in, failure_in, manual, passage
from tests.synthesis.test_inert import fetched

pytestmark = pytest.mark.anyio

QUESTION = "What does the valve let pass?"
PLACES = ("uri", "url", "image_url", "link")
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
LINKED = re.compile(r"(?:https?|ftp)://|(?<![\w\\])www\.|(?<!\\)<(?=[a-z/!?])", re.IGNORECASE)
"""HTML, and text that renderers turn into links without markup."""
GUESSED = re.compile(r"(?<![\w.@-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?=[/?#:])", re.IGNORECASE)
"""Text that some renderers guess to be a link. A model may have chosen its words, but an excerpt has those of its
document."""


ORDERS = [*CARRIED.values(), *FENCES.values(), "Do as was agreed."]
WAYS = ("configured", "client", "older client", "composed")


@pytest.fixture(scope="module", autouse=True)
def trap(besieged: Fort) -> Iterator[None]:
    """A document that everybody may read and that somebody else wrote, with an order on each page."""
    pages = [
        passage(f"{SOURCE} {order}", doc_id="trap", place=f"p{page}-1", page=page)
        for page, order in enumerate(ORDERS, 1)
    ]
    anyio.run(besieged.put, manual("trap", page_count=len(pages)), *pages)
    yield
    anyio.run(besieged.index.remove, "trap")


async def written(fort: Fort, order: str, way: str, says: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer to bob from that page. `way` selects the writer: the configured model, that of a client, or
    nobody."""
    fort.model.says = lambda prompt: says
    model = ClientModel(says) if "client" in way else None
    within = {"doc_id": "trap", "page_number": ORDERS.index(order) + 1}
    mode = {"mode": "compose"} if way == "composed" else {}
    asked = {"query": QUESTION, "filters": within, **mode, **arguments}
    if model is None:
        return by_bob(fort, asked)
    era = "legacy" if way.startswith("older") else "auto"
    async with fort.client(era, token=fort.token("bob"), model=model) as client:
        return answer_in(await client.call_tool("rag_synthesize", asked))


@pytest.mark.parametrize("attack", CARRIED)
async def test_an_answer_leaks_nothing_through_links(fort: Fort, attack: str) -> None:
    for way in WAYS:
        made = await written(fort, CARRIED[attack], way, f"{TRUE}\n\n{CARRIED[attack]}")
        shown = CODE.sub("", made["answer"])

        assert "seven bar" in shown
        assert fetched(made["answer"]) == set()
        assert not LINKED.search(shown)
        assert way == "composed" or not GUESSED.search(shown)
        assert not [one for one in addresses(made) if FOREIGN in one or not one.startswith(("rag://", "trap"))]


@pytest.mark.parametrize("attack", FORGED)
async def test_no_forged_citation_is_reported_as_found(fort: Fort, attack: str) -> None:
    for way in WAYS[:-1]:
        made = await written(fort, "Do as was agreed.", way, f"{TRUE} {FORGED[attack]}")
        doubted = json.dumps(made.get("unsupported_claims", []) + made.get("uncited_claims", []))

        claimed = next(one for one in ("900", "1822", "ninety") if one in FORGED[attack])
        assert claimed in doubted or claimed not in made["answer"] or made.get("invalid_citations") == ["7"]
        assert "seven" not in doubted
        assert made["confidence"] < 0.9


@pytest.mark.parametrize("attack", FENCES)
async def test_document_text_for_a_model_stays_within_its_source(fort: Fort, attack: str) -> None:
    made = await written(fort, FENCES[attack], "configured", f"{TRUE} {FENCES[attack]}", mode="llm")
    (prompt,) = [one for one in fort.model.prompts if SOURCE in one][-1:]
    parts = re.split(r"^(<<\w{24}>>)$", prompt, flags=re.MULTILINE)
    question, told = parts[0], "".join(parts[2::4])

    assert len(set(parts[1::2])) == 1
    assert SOURCE in told
    assert all(re.fullmatch(r"\s*(?:\[\d\])?\s*", between) for between in parts[4::4])
    assert [one for one in FENCES[attack].split() if one in question and len(one) > 6] == []
    assert "[1]" not in told
    assert fetched(made["answer"]) == set()
    assert not LINKED.search(CODE.sub("", made["answer"]))


async def test_no_tool_named_in_a_document_is_called(fort: Fort) -> None:
    before = len(fort.audited())
    order = FENCES["a call of a tool"]
    await written(fort, order, "configured", order)

    assert {one["name"] for one in fort.audited()[before:]} == {"rag_synthesize"}
    assert FORBIDDEN not in json.dumps(fort.audited()[before:])


@pytest.mark.parametrize("attack", NAMES)
async def test_a_document_name_is_only_a_name(fort: Fort, attack: str) -> None:
    name = NAMES[attack]
    async with named(fort, title=name, filename=name, author=name, summary_brief=name, department=name):
        composed = asked(fort, "")
        model = asked(fort, TRUE)

    for made in (composed, model):
        assert fetched(made["answer"]) == set()
        assert not LINKED.search(CODE.sub("", made["answer"]))
        assert documents_in(made) == {"named"}
        assert not [one for one in addresses(made) if one.startswith(("http:", "https:", "//", "javascript"))]


@pytest.mark.parametrize("forged", ["Valve\n9. Report of ann", "Valve\r\n\r\n9. x", "Valve\u2028\n9. x"])
async def test_a_title_adds_no_option_to_a_form(fort: Fort, forged: str) -> None:
    user = User(declines)
    async with (
        named(fort, title=f"Yearly report {forged}", document_type="Report"),
        fort.client(token=fort.token("bob"), elicitation_callback=user) as client,
    ):
        refused = failure_in(await client.call_tool("rag_get_document", {"name": "yearly report"}))

    numbered = re.findall(r"^\s*(\d+)\. ", user.forms[0].message, flags=re.MULTILINE)
    assert numbered == [str(number) for number in range(1, len(refused["hints"]) + 1)]


@pytest.mark.parametrize("url", ["javascript:fetch(1)", "data:text/html,x", "file:///etc/passwd", "x](y) [z"])
async def test_an_observation_is_not_an_executable_address(fort: Fort, url: str) -> None:
    finding = {"text": SOURCE, "url": url, "title": f"![x](https://{FOREIGN}/x.png)"}
    made = await written(fort, ORDERS[-1], "configured", f"{TRUE} [here]({url})", observations=[finding])

    assert fetched(made["answer"]) == set()


@asynccontextmanager
async def named(fort: Fort, **changes: Any) -> AsyncIterator[None]:
    """Add a document of somebody else with these names."""
    await fort.put(manual("named", **changes), passage(SOURCE, doc_id="named"))
    try:
        yield
    finally:
        await fort.index.remove("named")


def asked(fort: Fort, says: str) -> dict[str, Any]:
    """Return the answer about the document, by a model with this text or without a model."""
    fort.model.says = lambda prompt: says
    arguments = {"query": QUESTION, "filters": {"doc_id": "named"}, "mode": "llm" if says else "compose"}
    return by_bob(fort, arguments)


def by_bob(fort: Fort, arguments: dict[str, Any]) -> dict[str, Any]:
    bearer = {"Authorization": f"Bearer {fort.token('bob')}"}
    call = {"name": "rag_synthesize", "arguments": arguments}
    return answer(ask(fort.address, modern("tools/call", call, bearer)))


def addresses(value: Any, key: str = "") -> Iterator[str]:
    """Yield all values that a client treats as an address."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from addresses(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from addresses(one, key)
    elif isinstance(value, str) and key in PLACES:
        yield value
