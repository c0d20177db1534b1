"""The results of a search with hidden documents and without them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.index.local import LocalIndex
from corpus.search import Hit, Search
from tests.shelf import a_document, texts

pytestmark = pytest.mark.anyio

ANN = Caller(user_id="ann")
SHIFT = 0.05
"""Maximum change of a score (0 to 1) if there are as many similar hidden documents as readable ones. Measured: 0.02,
and 0.04 with three times as many."""
READABLE = {
    f"notes-{number}": tuple(
        f"{subject} {number}: the {part} of the {subject} is checked by the {role} every {number + 2} weeks."
        for part in ("valve", "filter", "housing")
    )
    for number, (subject, role) in enumerate(
        zip(
            ("pump", "boiler", "lift", "oven", "fan", "press", "lathe", "crane", "mill", "saw"),
            (
                "operator",
                "engineer",
                "janitor",
                "baker",
                "fitter",
                "printer",
                "turner",
                "driver",
                "miller",
                "joiner",
            ),
            strict=True,
        )
    )
}
QUESTIONS = (
    "pump valve",
    "who checks the boiler",
    "filter of the crane",
    "how often is the housing checked",
    "janitor",
)


@asynccontextmanager
async def world(folder: Path, *hidden: tuple[Document, tuple[str, ...]]) -> AsyncIterator[LocalIndex]:
    """An index with documents that ann may read, and others that only bob may read."""
    index = LocalIndex.open(folder, None)
    try:
        await index.replace(
            a_document("reader", access_control_list=("*",), language="en"),
            texts("reader", "The talo stands by a lake."),
        )
        for doc_id, contents in READABLE.items():
            await index.replace(
                a_document(doc_id, access_control_list=("user:ann",), language="en"), texts(doc_id, *contents)
            )
        for document, contents in hidden:
            await index.replace(document, texts(document.doc_id, *contents))
        await index.compact()
        yield index
    finally:
        await index.aclose()


async def found(index: LocalIndex, query: str) -> tuple[Hit, ...]:
    return (await index.find(Search(query, top_k=20), ANN)).hits


def secret(doc_id: str, language: str = "en") -> Document:
    return a_document(doc_id, access_control_list=("user:bob",), language=language)


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("fi", "Talojen katot korjataan.", "talojen"),
        ("de", "Die Häuser werden repariert.", "talos"),
        ("hu", "A házak javítása.", "talot"),
        ("tr", "Evlerin onarımı.", "talonun"),
    ],
)
async def test_the_language_of_a_hidden_document_makes_no_word_match(
    folder: Path, language: str, text: str, query: str
) -> None:
    async with AsyncExitStack() as worlds:
        without = await worlds.enter_async_context(world(folder / "without"))
        hiding = await worlds.enter_async_context(world(folder / "hiding", (secret("s", language), (text,))))
        one, other = await found(without, query), await found(hiding, query)

    assert [hit.block.block_id for hit in one] == [hit.block.block_id for hit in other]


async def test_the_languages_of_readable_documents_make_words_match(folder: Path) -> None:
    async with world(folder) as index:
        assert not await found(index, "talojen")
        await index.replace(
            a_document("suomi", access_control_list=("user:ann",), language="fi"),
            texts("suomi", "Talojen katot korjataan."),
        )
        await index.compact()
        assert {hit.document.doc_id for hit in await found(index, "talojen")} >= {"suomi"}


async def test_a_revoked_document_no_longer_adds_its_language(folder: Path) -> None:
    async with world(folder) as index:
        for names in (("user:ann",), ("user:bob",)):
            await index.replace(
                a_document("suomi", access_control_list=names, language="fi"),
                texts("suomi", "Talojen katot korjataan."),
            )
            await index.compact()
            assert bool(await found(index, "talojen")) is (names == ("user:ann",))


async def test_hidden_documents_similar_to_readable_ones_shift_scores_little_and_no_hit(
    folder: Path,
) -> None:
    hidden = [
        (secret(f"secret-{doc_id}"), tuple(text.replace("every", "in all of") for text in contents))
        for doc_id, contents in READABLE.items()
    ]
    async with AsyncExitStack() as worlds:
        without = await worlds.enter_async_context(world(folder / "without"))
        hiding = await worlds.enter_async_context(world(folder / "hiding", *hidden))
        for query in QUESTIONS:
            one, other = await found(without, query), await found(hiding, query)
            shown = {hit.block.block_id: hit.score for hit in one}

            assert [hit.block.block_id for hit in other] == list(shown), query
            for hit in other:
                assert abs(hit.score - shown[hit.block.block_id]) <= SHIFT, (query, hit.block.block_id)
