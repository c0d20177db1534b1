from __future__ import annotations

import pytest
from mcp.types import Completion, PromptReference, ResourceTemplateReference

from corpus.access import Caller
from server.mcp_resources import BLOCK_IMAGE, DOCUMENT, PAGE, PAGE_IMAGE
from tests.server.desk import Desk, figure, manual, passage
from tests.server.test_schema import NAMES

pytestmark = pytest.mark.anyio

ANN = Caller(user_id="ann")


async def offered(desk: Desk, era: str, ref: str, name: str, typed: str, **known: str) -> Completion:
    """Return the completions. `ref` is the template of an address, or the name of a prompt."""
    wanted = ResourceTemplateReference(uri=ref) if ":" in ref else PromptReference(name=ref)
    async with desk.client(era) as client:
        return (await client.complete(wanted, {"name": name, "value": typed}, known or None)).completion


async def test_the_completion_capability_is_declared(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        assert client.server_capabilities.completions is not None


@pytest.mark.parametrize("place", [DOCUMENT, PAGE, PAGE_IMAGE])
async def test_a_document_is_offered_by_the_start_of_its_id_and_by_words_of_its_names(
    stocked: Desk, era: str, place: str
) -> None:
    for typed, fits in (("pu", ["pump"]), ("NOTES.txt", ["notes"]), ("manual of the", ["notes", "pump"])):
        found = await offered(stocked, era, place, "doc_id", typed)
        assert (found.values, found.total, found.has_more) == (fits, len(fits), False)


async def test_an_unreadable_document_is_offered_only_to_its_readers(stocked: Desk, era: str) -> None:
    hidden = await offered(stocked, era, DOCUMENT, "doc_id", "sal")
    missing = await offered(stocked, era, DOCUMENT, "doc_id", "nowhere")
    stocked.caller = ANN

    assert hidden == missing
    assert (await offered(stocked, era, DOCUMENT, "doc_id", "sal")).values == ["salaries"]


async def test_offered_pages_are_those_of_the_document(stocked: Desk, era: str) -> None:
    await stocked.put(manual("long", page_count=250), [passage("x", doc_id="long")])

    every = await offered(stocked, era, PAGE, "page", "", doc_id="long")
    begun = await offered(stocked, era, PAGE_IMAGE, "page", "24", doc_id="long")

    assert every.values == [str(number) for number in range(1, 101)]
    assert (every.total, every.has_more) == (250, True)
    assert begun.values == ["24", *(str(number) for number in range(240, 250))]


@pytest.mark.parametrize("doc_id", ["salaries", "nowhere", "notes", "", "\x00", "../pump"])
async def test_no_pages_are_offered_for_an_unreadable_or_unpaged_document(stocked: Desk, era: str, doc_id: str) -> None:
    assert (await offered(stocked, era, PAGE, "page", "", doc_id=doc_id)).values == []


async def test_without_a_document_no_page_is_offered(stocked: Desk, era: str) -> None:
    assert (await offered(stocked, era, PAGE, "page", "1")).values == []


async def test_image_blocks_are_offered_by_their_id_or_by_their_document(stocked: Desk, era: str) -> None:
    for typed in ("pump-p2", "pump-", "pump", "Manual of the pump", ""):
        assert (await offered(stocked, era, BLOCK_IMAGE, "block_id", typed)).values == ["pump-p2-f1"], typed
    assert (await offered(stocked, era, BLOCK_IMAGE, "block_id", "pump-p9")).values == []
    assert (await offered(stocked, era, BLOCK_IMAGE, "block_id", "salaries-p2")).values == []


async def test_no_more_than_a_hundred_values_are_sent(desk: Desk, era: str) -> None:
    for number in range(103):
        await desk.put(manual(f"doc{number:03}"), [passage("x", doc_id=f"doc{number:03}")])
    figures = [figure("F", place=f"f{number:03}") for number in range(130)]
    await desk.put(manual(), figures)

    documents = await offered(desk, era, DOCUMENT, "doc_id", "doc")
    blocks = await offered(desk, era, BLOCK_IMAGE, "block_id", "pump-")

    assert (len(documents.values), documents.total, documents.has_more) == (100, 103, True)
    assert (len(blocks.values), blocks.has_more) == (100, True)


async def test_tools_are_offered_by_any_word_of_their_name(desk: Desk, era: str) -> None:
    assert (await offered(desk, era, "rag_system_prompt", "available_tools", "")).values == list(NAMES)
    assert (await offered(desk, era, "rag_system_prompt", "available_tools", "Sem")).values == ["rag_semantic_search"]


async def test_a_domain_is_a_department_or_a_type_of_readable_documents(stocked: Desk, era: str) -> None:
    everybody = await offered(stocked, era, "rag_system_prompt", "domain", "")
    stocked.caller = ANN

    assert everybody.values == ["Manual", "Note"]
    assert (await offered(stocked, era, "rag_system_prompt", "domain", "hr")).values == ["HR"]


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("rag_system_prompt", "question"),
        ("rag_system_prompt", "user_context"),
        ("rag_system_prompt", "nothing"),
        ("another_prompt", "available_tools"),
        (DOCUMENT, "page"),
        ("rag://nothing/{doc_id}", "doc_id"),
    ],
)
async def test_without_values_nothing_is_offered(stocked: Desk, era: str, ref: str, name: str) -> None:
    found = await offered(stocked, era, ref, name, "")
    assert (found.values, found.total, found.has_more) == ([], 0, False)


@pytest.mark.parametrize("typed", ["%", "_", "'", '"', "a" * 100_000, "*", "pump' OR 1=1 --", "\u202epump\u202c-p2-f2"])
async def test_typed_text_is_only_compared(stocked: Desk, era: str, typed: str) -> None:
    for place, name in ((DOCUMENT, "doc_id"), (BLOCK_IMAGE, "block_id")):
        assert (await offered(stocked, era, place, name, typed)).values == []


async def test_a_name_is_offered_once_and_identically_in_each_call(stocked: Desk, era: str) -> None:
    first = await offered(stocked, era, DOCUMENT, "doc_id", "")
    assert first == await offered(stocked, era, DOCUMENT, "doc_id", "")
    assert first.values == ["notes", "pump"]
