"""The contract of the writing side, for engines that Ibid fills."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import numpy as np
import pytest

from corpus.access import ANONYMOUS
from corpus.documents.document import OutlineEntry
from corpus.embedding.protocol import Embedder
from corpus.errors import DocumentNotFound
from corpus.filters import Filters
from corpus.index.protocol import WritableIndex
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import ANN, a_document, doc_ids, figure, texts

OpenIndex = Callable[..., AbstractAsyncContextManager[WritableIndex]]
"""Factory called with an embedder or None. A second call opens the same index again."""


class WritableContract:
    """The writing side. An engine defines the fixture `open_index`."""

    @pytest.fixture
    async def index(self, open_index: OpenIndex) -> AsyncIterator[WritableIndex]:
        async with open_index(DigestEmbedder()) as index:
            yield index

    async def test_a_document_is_read_back_completely(self, index: WritableIndex) -> None:
        document = a_document(
            document_date="2025-01-01", author="Ann", department="hr", page_count=3, summary_brief="b",
            summary_standard="s", source_path="/x/ü.pdf", source_size=5, source_mtime_ns=2**62, content_hash="abc",
            reader_version="7", warnings=("one", "zwei"), page_labels=("", "i", "1"),
            outline=(OutlineEntry("1 Start", 1, 1), OutlineEntry("End", 2)),
        )  # fmt: skip
        (new,) = texts("manual", "text")
        block = replace(
            new.block, bbox=(1.5, 2.0, 3.0, 4.0), heading="A > B", page_label="i", start_line=1, end_line=2,
            char_start=0, char_end=4, language="de", image_url="rag://x",
        )  # fmt: skip
        await index.replace(document, [replace(new, block=block)])
        assert await index.document("manual", ANONYMOUS) == document
        assert await index.blocks(["manual-0"], ANONYMOUS) == (replace(block, access_control_list=("*",)),)

    async def test_replacing_leaves_nothing_of_the_earlier_version(self, index: WritableIndex) -> None:
        await index.replace(a_document(), [*texts("manual", "old pump", "old oil"), figure("manual", "old")])
        await index.replace(a_document(title="New"), texts("manual", "new valve"))
        assert (await index.document("manual", ANONYMOUS)).title == "New"
        assert [b.content for b in await index.pages("manual", 1, 99, ANONYMOUS)] == ["new valve"]
        assert [h.block.content for h in (await index.find(Search("old pump"), ANONYMOUS)).hits] in (
            [],
            ["new valve"],
        )
        assert (await index.counts(ANONYMOUS)).blocks == 1
        with pytest.raises(DocumentNotFound):
            await index.picture("manual-f1", ANONYMOUS)

    async def test_a_refused_replacement_changes_nothing(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "old pump"))
        (same,) = texts("manual", "new")
        with pytest.raises(ValueError, match="twice"):
            await index.replace(a_document(title="New"), [same, same])
        assert (await index.document("manual", ANONYMOUS)).title == "The manual"
        assert [h.block.content for h in (await index.find(Search("pump"), ANONYMOUS)).hits] == ["old pump"]

    async def test_a_block_with_its_own_list_is_refused(self, index: WritableIndex) -> None:
        (new,) = texts("manual", "secret")
        narrow = replace(new, block=replace(new.block, access_control_list=("user:ann",)))
        with pytest.raises(ValueError, match="access list"):
            await index.replace(a_document(), [narrow])

    async def test_an_update_changes_the_readers_and_leaves_the_blocks(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "pump"))
        await index.update(a_document(access_control_list=("user:ann",), title="Renamed valve"))
        assert (await index.find(Search("pump"), ANONYMOUS)).hits == ()
        (hit,) = (await index.find(Search("pump"), ANN)).hits
        assert (hit.document.title, hit.block.access_control_list) == ("Renamed valve", ("user:ann",))
        await index.update(a_document(access_control_list=("*",)))
        assert len((await index.find(Search("pump"), ANONYMOUS)).hits) == 1

    async def test_an_update_of_a_missing_document_is_refused(self, index: WritableIndex) -> None:
        with pytest.raises(DocumentNotFound):
            await index.update(a_document())

    async def test_a_new_title_is_found_immediately(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "pump"))
        await index.update(a_document(title="Zeppelin"))
        assert len((await index.find(Search("zeppelin"), ANONYMOUS)).hits) == 1

    async def test_a_removed_document_is_in_no_answer(self, index: WritableIndex) -> None:
        await index.replace(a_document(), [*texts("manual", "pump"), figure("manual", "pump")])
        await embed(index, DigestEmbedder())
        await index.remove("manual")
        await index.remove("manual")
        assert (await index.find(Search("pump"), ANONYMOUS)).hits == ()
        assert (await index.counts(ANONYMOUS)).documents == 0
        assert await index.all_documents() == ()
        assert await index.pending(9) == ()
        assert await index.blocks(["manual-0"], ANONYMOUS) == ()

    async def test_all_documents_are_returned_by_source_path(self, index: WritableIndex) -> None:
        for doc_id, path, access in (("a", "/z", ("*",)), ("b", "/a", ()), ("c", "/m", ("user:x",))):
            await index.replace(a_document(doc_id, source_path=path, access_control_list=access), texts(doc_id, "x"))
        assert doc_ids(await index.all_documents()) == ["b", "c", "a"]

    async def test_text_is_found_before_its_vectors_and_the_answer_says_so(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "pump", "valve"))
        found = await index.find(Search("pump"), ANONYMOUS)
        assert (found.mode, found.hits[0].block.content) == ("lexical", "pump")
        assert any("2 of 2 passages have no vector yet" in warning for warning in found.warnings)
        assert (await index.document("manual", ANONYMOUS)).status == "text"

    async def test_vectors_make_a_document_ready_and_a_search_hybrid(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "pump", "valve", "oil"))
        await embed(index, DigestEmbedder(), batch=1)
        found = await index.find(Search("pump"), ANONYMOUS)
        assert (found.mode, found.warnings) == ("hybrid", ())
        assert found.hits[0].vector == pytest.approx(1.0, abs=1e-3)
        assert (await index.document("manual", ANONYMOUS)).status == "ready"
        assert (await index.counts(ANONYMOUS)).without_vector == 0

    async def test_warnings_count_only_readable_documents(self, index: WritableIndex) -> None:
        await index.replace(a_document("open"), texts("open", "pump"))
        await index.replace(a_document("hidden", access_control_list=("user:bob",)), texts("hidden", "pump", "x"))
        assert any("1 of 1 passages" in w for w in (await index.find(Search("pump"), ANONYMOUS)).warnings)

    async def test_an_unchanged_passage_is_not_embedded_again(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "pump", "valve"))
        await embed(index, DigestEmbedder())
        await index.replace(a_document(), texts("manual", "valve", "new", "pump"))
        assert [one.text for one in await index.pending(9)] == ["new"]

    async def test_a_writer_without_an_embedder_keeps_the_vectors_of_unchanged_passages(
        self, open_index: OpenIndex
    ) -> None:
        async with open_index(DigestEmbedder()) as index:
            await index.replace(a_document(), texts("manual", "pump", "valve"))
            await embed(index, DigestEmbedder())
        async with open_index(None) as index:
            await index.replace(a_document(), texts("manual", "valve", "pump"))
        async with open_index(DigestEmbedder()) as index:
            assert (await index.counts(ANONYMOUS)).without_vector == len(await index.pending(9)) == 0
            assert (await index.find(Search("pump", 1), ANONYMOUS)).hits[0].block.block_id == "manual-1"

    async def test_vectors_of_removed_blocks_are_ignored(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "pump"))
        vectors = await DigestEmbedder().passages(["pump", "gone"])
        await index.store_vectors(["manual-0", "gone-1"], vectors)
        assert (await index.counts(ANONYMOUS)).without_vector == 0

    async def test_vectors_with_another_length_or_non_finite_values_are_refused(self, index: WritableIndex) -> None:
        await index.replace(a_document(), texts("manual", "pump"))
        for wrong in (np.zeros((1, 3)), np.zeros((2, 64)), np.full((1, 64), np.nan)):
            with pytest.raises(ValueError, match=r"[Vv]ector"):
                await index.store_vectors(["manual-0"], wrong.astype(np.float32))

    async def test_another_embedder_sees_every_passage_as_pending_and_mixes_nothing(
        self, open_index: OpenIndex
    ) -> None:
        async with open_index(DigestEmbedder("first", 64)) as index:
            await index.replace(a_document(), texts("manual", "pump", "valve"))
            await embed(index, DigestEmbedder("first", 64))
        async with open_index(DigestEmbedder("second", 32)) as index:
            found = await index.find(Search("pump"), ANONYMOUS)
            assert found.mode == "lexical"
            assert any("vectors of first" in warning for warning in found.warnings)
            assert len(await index.pending(9)) == 2
            await embed(index, DigestEmbedder("second", 32))
            assert (await index.find(Search("pump"), ANONYMOUS)).mode == "hybrid"

    async def test_without_an_embedder_a_search_uses_keywords_and_says_so(self, open_index: OpenIndex) -> None:
        async with open_index(None) as index:
            await index.replace(a_document(), texts("manual", "pump"))
            found = await index.find(Search("pump", filters=Filters()), ANONYMOUS)
            assert (found.mode, len(found.hits)) == ("lexical", 1)
            assert any("found by keyword search only" in warning for warning in found.warnings)
            assert await index.pending(9) == ()
            assert (await index.document("manual", ANONYMOUS)).status == "ready"

    async def test_a_stored_access_list_can_be_kept_whatever_is_given(self, index: WritableIndex) -> None:
        narrow = a_document(access_control_list=("user:ann",))
        await index.replace(narrow, texts("manual", "old pump"), keep_access=True)
        await index.replace(a_document(), texts("manual", "new pump"), keep_access=True)
        await index.update(a_document(title="Renamed"), keep_access=True)
        assert (await index.document("manual", ANN)).title == "Renamed"
        assert [b.access_control_list for b in await index.pages("manual", 1, 99, ANN)] == [("user:ann",)]
        with pytest.raises(DocumentNotFound):
            await index.document("manual", ANONYMOUS)
        await index.update(a_document())
        assert (await index.find(Search("pump"), ANONYMOUS)).hits

    async def test_with_only_known_a_document_replaces_only_itself(self, index: WritableIndex) -> None:
        with pytest.raises(DocumentNotFound):
            await index.replace(a_document(), texts("manual", "old pump"), only_known=True)
        assert await index.all_documents() == ()
        await index.replace(a_document(), texts("manual", "old pump"))
        await index.replace(a_document(), texts("manual", "new valve"), only_known=True)
        assert (await index.find(Search("valve"), ANONYMOUS)).hits


async def embed(index: WritableIndex, embedder: Embedder, batch: int = 100) -> None:
    while pending := await index.pending(batch):
        vectors = await embedder.passages([one.text for one in pending])
        await index.store_vectors([one.block_id for one in pending], vectors)
