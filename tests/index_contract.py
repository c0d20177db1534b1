"""The contract of `corpus/index/protocol.py`, for every engine.

An engine inherits `IndexContract` and defines the fixture `open_shelf`. Nothing here depends on its storage.
`tests/access_contract.py` has the contract about access rights, and `tests/writable_contract.py` that of the writing
side.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from corpus.access import ANONYMOUS
from corpus.documents.document import SORTABLE
from corpus.errors import DocumentNotFound, InvalidRequest
from corpus.filters import Filters
from corpus.search import Listing
from tests.shelf import (
    PICTURE,
    OpenShelf,
    Shelf,
    a_document,
    doc_ids,
    documents_of,
    figure,
    ids,
    search,
    texts,
)

HOSTILE = (
    "", " ", "\x00", "a\x00b", "\ud800", "pump\udfff", '"', "'", "\\", "field:*", "doc:1 OR *", "a AND OR NOT",
    "+-!(){}[]", "/.*/", "* ?", "~10", "^5", "🚀🚀", "\u202epump\u202c", "'; DROP TABLE blocks; --", "%", "_", "((((",
    "NEAR(a b)", "\t\n\r", "a" * 100_000, "pump " * 20_000, "的" * 5_000, "İıẞß", "e\u0301" * 3_000, "1" * 400,
    "-._-._", "\u200b\u200d",
)  # fmt: skip


class IndexContract:
    """The reading side. An engine for a foreign index sets the features that this index does not have."""

    holds_pictures = True
    """True if the index stores pictures, not only their addresses."""
    sortable = SORTABLE
    sorts_as_one_case = True

    @pytest.fixture
    async def shelf(self, open_shelf: OpenShelf) -> AsyncIterator[Shelf]:
        async with open_shelf(prefixed=True) as shelf:
            yield shelf

    async def test_completion_finds_a_document_by_its_id_then_by_words_of_its_names(self, shelf: Shelf) -> None:
        for doc_id, title in (("pump-care", "Seals"), ("valve", "Pump of the valve"), ("motor", "Motor")):
            await shelf.put(a_document(doc_id, title=title), *texts(doc_id, "x"))
        for typed, fits in (
            ("pump", ("pump-care", "valve")), ("PUMP-c", ("pump-care",)), ("valve of", ("valve",)), ("%", ()),
            ("", ("motor", "pump-care", "valve")),
        ):  # fmt: skip
            begun = await shelf.index.begun(typed, 10, ANONYMOUS)
            assert (begun.doc_ids, begun.total) == (fits, len(fits)), typed
        cut = await shelf.index.begun("", 2, ANONYMOUS)
        assert (cut.doc_ids, cut.total) == (("motor", "pump-care"), 3)

    async def test_an_index_that_supports_change_notices_reports_each_change(self, shelf: Shelf) -> None:
        before, extent = await shelf.index.generation(), await shelf.index.extent(ANONYMOUS)
        await shelf.put(a_document("secret", access_control_list=("user:ann",)), *texts("secret", "x"))
        hidden = await shelf.index.generation()
        assert (hidden == before) == (before is None)
        assert await shelf.index.extent(ANONYMOUS) == extent
        await shelf.put(a_document(), *texts("manual", "x"))
        assert (await shelf.index.extent(ANONYMOUS) == extent) == (before is None)
        assert await shelf.index.generation() == await shelf.index.generation()

    async def test_a_block_is_found_by_its_text(self, shelf: Shelf) -> None:
        await shelf.put(a_document(), *texts("manual", "The pump needs oil.", "Bananas are yellow."))
        found = await search(shelf, "pump oil", ANONYMOUS)
        assert ids(found)[0] == "manual-0"
        assert found.hits[0].document.title == "The manual"
        assert found.hits[0].block.content == "The pump needs oil."
        assert found.mode in ("lexical", "vector", "hybrid", "semantic")

    async def test_a_figure_is_found_by_its_caption(self, shelf: Shelf) -> None:
        await shelf.put(a_document(), *texts("manual", "Bananas."), figure("manual", "Impeller, exploded view", 3))
        (best, *_) = (await search(shelf, "exploded impeller", ANONYMOUS)).hits
        assert (best.block.block_type, best.block.page_number) == ("image", 3)

    async def test_hits_come_best_first_with_scores_from_0_to_1_and_within_the_requested_number(
        self, shelf: Shelf
    ) -> None:
        await shelf.put(a_document(), *texts("manual", *(f"pump {'oil ' * n} word{n}" for n in range(30))))
        found = await search(shelf, "pump oil word7", ANONYMOUS, top_k=7)
        scores = [hit.score for hit in found.hits]
        assert len(scores) == 7
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)

    async def test_a_filter_applies_before_the_best_are_chosen(self, shelf: Shelf) -> None:
        await shelf.put(a_document("loud"), *texts("loud", *["pump oil pump oil"] * 80))
        await shelf.put(a_document("quiet"), *texts("quiet", "Among many other things there is a pump."))
        found = await search(shelf, "pump oil", ANONYMOUS, top_k=3, doc_id="quiet")
        assert ids(found) == ["quiet-0"]

    async def test_a_document_filter_applies_to_searches_and_lists(self, shelf: Shelf) -> None:
        day = "2026-03-0{}T23:59:59+00:00"
        a = a_document("a", document_type="Report", department="hr", upload_date=day.format(1))
        b = a_document("b", department="it", author="O'Hara, Bea", upload_date=day.format(2))
        for document in (a, b, a_document("c", upload_date=day.format(3))):
            await shelf.put(document, *texts(document.doc_id, "the same pump"))
        for filters, expected in [
            ({"doc_id": ["a"]}, {"a"}),
            ({"doc_id": ["a", "b"]}, {"a", "b"}),
            ({"filename": "b.pdf"}, {"b"}),
            ({"document_type": "Report"}, {"a"}),
            ({"department": ["hr", "it"]}, {"a", "b"}),
            ({"author": "O'Hara, Bea"}, {"b"}),
            ({"uploaded_after": "2026-03-02"}, {"b", "c"}),
            ({"uploaded_before": "2026-03-02"}, {"a", "b"}),
            ({"uploaded_after": "2026-03-02", "uploaded_before": "2026-03-02"}, {"b"}),
            ({"uploaded_after": "0001-01-01", "uploaded_before": "9999-12-31"}, {"a", "b", "c"}),
            ({"department": "hr", "document_type": "Manual"}, set()),
            ({"author": "nobody"}, set()),
        ]:
            found = await search(shelf, "pump", ANONYMOUS, **filters)
            listed = await shelf.index.list_documents(Listing(filters=Filters.parse(filters)), ANONYMOUS)
            assert documents_of(found) == set(doc_ids(listed.documents)) == expected, (filters, expected)
            assert listed.total == len(expected), (filters, expected)

    async def test_a_filter_on_the_documents_own_date_omits_documents_without_one(self, shelf: Shelf) -> None:
        """An index without such dates reports that it cannot filter by them."""
        for doc_id, date in [
            ("a", "2025-04-11T00:00:00+00:00"),
            ("b", "2025-04-12T23:59:59+00:00"),
            ("c", None),
        ]:
            await shelf.put(a_document(doc_id, document_date=date), *texts(doc_id, "the same pump"))
        for filters, expected in [
            ({"dated_after": "2025-04-12"}, {"b"}),
            ({"dated_before": "2025-04-11"}, {"a"}),
            ({"dated_after": "2025-04-11", "dated_before": "2025-04-12"}, {"a", "b"}),
            ({"dated_after": "0001-01-01", "dated_before": "9999-12-31"}, {"a", "b"}),
            ({"dated_before": "9999-12-31"}, {"a", "b"}),
            ({"dated_after": "2025-04-12", "doc_id": "a"}, set()),
        ]:
            listing = Listing(filters=Filters.parse(filters))
            if "document_date" not in self.sortable:
                with pytest.raises(InvalidRequest):
                    await search(shelf, "pump", ANONYMOUS, **filters)
                with pytest.raises(InvalidRequest):
                    await shelf.index.list_documents(listing, ANONYMOUS)
                continue
            assert documents_of(await search(shelf, "pump", ANONYMOUS, **filters)) == expected, filters
            listed = await shelf.index.list_documents(listing, ANONYMOUS)
            assert (set(doc_ids(listed.documents)), listed.total) == (expected, len(expected)), filters

    async def test_a_block_filter_is_applied(self, shelf: Shelf) -> None:
        await shelf.put(a_document(), *texts("manual", "pump", "pump", "pump"), figure("manual", "pump", 2))
        for filters, expected in [
            ({"block_type": "image"}, {"manual-f2"}),
            ({"block_type": ["image", "text"], "page_number": [2]}, {"manual-1", "manual-f2"}),
            ({"page_number": [1, 3]}, {"manual-0", "manual-2"}),
            ({"page_number": 9}, set()),
        ]:
            assert set(ids(await search(shelf, "pump", ANONYMOUS, **filters))) == expected, (
                filters,
                expected,
            )

    async def test_no_text_breaks_a_search_or_a_lookup(self, shelf: Shelf) -> None:
        await shelf.put(a_document(), *texts("manual", "The pump needs oil."))
        for query in HOSTILE:
            await search(shelf, query, ANONYMOUS)
            await shelf.index.list_documents(Listing(query=query), ANONYMOUS)
            await shelf.index.by_name(query, ANONYMOUS)
            assert await shelf.index.blocks([query], ANONYMOUS) == (), query
            with pytest.raises(DocumentNotFound) as missing:
                await shelf.index.document(query, ANONYMOUS)
            assert len(str(missing.value).encode()) < 1000, query

    async def test_an_empty_query_finds_nothing(self, shelf: Shelf) -> None:
        await shelf.put(a_document(), *texts("manual", "The pump needs oil."))
        assert (await search(shelf, " \x00\u200b ", ANONYMOUS)).hits == ()

    # Each order has its own shelf, because an index remembers facts from an earlier order.
    @pytest.mark.parametrize("sort_by", SORTABLE)
    async def test_a_paged_list_contains_every_document_once_and_in_order(self, shelf: Shelf, sort_by: str) -> None:
        await put_many(shelf)
        if sort_by not in self.sortable:
            with pytest.raises(InvalidRequest, match=sort_by):
                await shelf.index.list_documents(Listing(sort_by=sort_by), ANONYMOUS)
            return
        whole = await shelf.index.list_documents(Listing(sort_by=sort_by, limit=100), ANONYMOUS)
        pages, after = [], None
        while True:
            page = await shelf.index.list_documents(Listing(sort_by=sort_by, limit=2, after=after), ANONYMOUS)
            pages += doc_ids(page.documents)
            assert page.total == 7
            if (after := page.next_after) is None:
                break
        assert pages == doc_ids(whole.documents)
        assert len(set(pages)) == 7
        assert whole.next_after is None

    async def test_dates_sort_newest_first_names_from_a_and_long_documents_first(self, shelf: Shelf) -> None:
        await put_many(shelf)
        for sort_by, first, last in [
            ("upload_date", "d6", "d0"),
            ("title", "d1", "d4"),
            ("filename", "d0", "d6"),
            ("page_count", "d5", "d6"),
            ("document_date", "d3", None),
        ]:
            if sort_by not in self.sortable or (sort_by in ("title", "filename") and not self.sorts_as_one_case):
                continue
            listed = doc_ids((await shelf.index.list_documents(Listing(sort_by=sort_by), ANONYMOUS)).documents)
            assert listed[0] == first, (sort_by, first, last)
            assert last in (None, listed[-1]), (sort_by, first, last)

    @pytest.mark.parametrize(
        ("came", "gone"),
        [(1, ()), (0, ("d6",)), (3, ("d6",)), (1, ("d4",)), (0, ("d4", "d5")), (2, ("d3",))],
    )
    async def test_a_cursor_survives_added_and_removed_documents(
        self, shelf: Shelf, came: int, gone: tuple[str, ...]
    ) -> None:
        await put_many(shelf)
        first = await shelf.index.list_documents(Listing(limit=3), ANONYMOUS)
        for n in range(came):
            new = a_document(f"new{n}", upload_date="2026-03-01T05:30:00+00:00")
            await shelf.put(new, *texts(f"new{n}", "x"))
        for doc_id in gone:
            await shelf.remove(doc_id)
        rest = await shelf.index.list_documents(Listing(after=first.next_after), ANONYMOUS)
        assert doc_ids(first.documents) == ["d6", "d5", "d4"]
        assert doc_ids(rest.documents) == [one for one in ("d3", "d2", "d1", "d0") if one not in gone]

    async def test_a_foreign_cursor_is_refused(self, shelf: Shelf) -> None:
        await put_many(shelf)
        for after in ["nonsense", "", "W10=", "\ud800", "WzEsIDIsIDNd", "é" * 50]:
            with pytest.raises(InvalidRequest, match="cursor"):
                await shelf.index.list_documents(Listing(after=after), ANONYMOUS)

    async def test_a_cursor_of_another_order_is_refused(self, shelf: Shelf) -> None:
        await put_many(shelf)
        first = await shelf.index.list_documents(Listing(sort_by="title", limit=1), ANONYMOUS)
        with pytest.raises(InvalidRequest, match="cursor"):
            await shelf.index.list_documents(Listing(sort_by="page_count", after=first.next_after), ANONYMOUS)

    async def test_a_list_is_narrowed_by_every_word_of_a_query(self, shelf: Shelf) -> None:
        await shelf.put(a_document("a", title="Öl und Pumpen", summary_brief="About bearings."), *texts("a", "x"))
        await shelf.put(a_document("b", title="Pumpen"), *texts("b", "x"))
        for query, expected in (
            ("pumpen", {"a", "b"}),
            ("ÖL pump", {"a"}),
            ("bearings öl", {"a"}),
            ("pumpen xyz", set()),
        ):
            listed = await shelf.index.list_documents(Listing(query=query), ANONYMOUS)
            assert (set(doc_ids(listed.documents)), listed.total) == (expected, len(expected))

    async def test_a_name_matches_equal_names_or_those_with_its_words(self, shelf: Shelf) -> None:
        await shelf.put(a_document("a", filename="Pump.pdf", title="Pump manual"), *texts("a", "x"))
        await shelf.put(a_document("b", filename="b.pdf", title="Old pump manual"), *texts("b", "x"))
        names = {
            "PUMP.PDF": ["a"],
            "pump MANUAL": ["a"],
            "manual pump": ["a", "b"],
            "old": ["b"],
            "none": [],
            " ": [],
        }
        for name, expected in names.items():
            assert sorted(doc_ids(await shelf.index.by_name(name, ANONYMOUS))) == expected

    async def test_a_name_matches_at_most_twenty_documents(self, shelf: Shelf) -> None:
        for n in range(22):
            await shelf.put(a_document(f"d{n}", title="Same"), *texts(f"d{n}", "x"))
        assert len(await shelf.index.by_name("same", ANONYMOUS)) == 20

    async def test_blocks_come_in_the_requested_order(self, shelf: Shelf) -> None:
        await shelf.put(a_document(), *texts("manual", "zero", "one", "two"))
        blocks = await shelf.index.blocks(["manual-2", "none", "manual-0", "manual-2"], ANONYMOUS)
        assert [block.content for block in blocks] == ["two", "zero"]

    async def test_pages_contain_their_blocks_in_reading_order(self, shelf: Shelf) -> None:
        await shelf.put(a_document(page_count=3), *texts("manual", "one", "two", "three"), figure("manual", "fig", 2))
        pages = await shelf.index.pages("manual", 2, 3, ANONYMOUS)
        assert {block.block_id for block in pages} == {"manual-1", "manual-f2", "manual-2"}
        assert await shelf.index.pages("manual", 7, 9, ANONYMOUS) == ()

    async def test_a_document_without_pages_is_one_page(self, shelf: Shelf) -> None:
        await shelf.put(a_document(), *texts("manual", "one", "two", first_page=None))
        assert [b.content for b in await shelf.index.pages("manual", 4, 4, ANONYMOUS)] == ["one", "two"]

    async def test_figures_and_their_pictures_are_stored(self, shelf: Shelf) -> None:
        await shelf.put(
            a_document(), figure("manual", "first", 2), *texts("manual", "x"), figure("manual", "second", 5)
        )
        figures = await shelf.index.figures("manual", ANONYMOUS)
        assert [block.image_caption for block in figures] == ["first", "second"]
        if self.holds_pictures:
            assert await shelf.index.picture("manual-f2", ANONYMOUS) == PICTURE
        else:
            with pytest.raises(InvalidRequest, match="manual-f2"):
                await shelf.index.picture("manual-f2", ANONYMOUS)
        with pytest.raises(DocumentNotFound):
            await shelf.index.picture("manual-0", ANONYMOUS)

    async def test_documents_are_looked_up_together(self, shelf: Shelf) -> None:
        for doc_id in ("a", "b", "c"):
            await shelf.put(a_document(doc_id), *texts(doc_id, "x"))
        found = await shelf.index.documents(["c", "none", "a", "c", "\ud800", ""], ANONYMOUS)
        assert {doc_id: one.title for doc_id, one in found.items()} == {"a": "The a", "c": "The c"}

    async def test_requested_values_are_reported_as_the_index_writes_them(self, shelf: Shelf) -> None:
        for doc_id, author in (("a", "O'Hara, Bea"), ("b", "Ann")):
            await shelf.put(a_document(doc_id, author=author), *texts(doc_id, "x"))
        wanted = ("O'Hara, Bea", "nobody", "x') or true or author eq ('y", "\ud800", "a" * 1000)
        assert await shelf.index.matches("author", wanted, ANONYMOUS) == {"O'Hara, Bea": "O'Hara, Bea"}
        with pytest.raises(InvalidRequest, match="page_count"):
            await shelf.index.matches("page_count", ["1"], ANONYMOUS)

    async def test_values_are_distinct_and_sorted(self, shelf: Shelf) -> None:
        for doc_id, department in (("a", "it"), ("b", "hr"), ("c", "it"), ("d", None)):
            await shelf.put(a_document(doc_id, department=department), *texts(doc_id, "x"))
        assert await shelf.index.values("department", ANONYMOUS) == ("hr", "it")
        assert await shelf.index.values("filename", ANONYMOUS) == ("a.pdf", "b.pdf", "c.pdf", "d.pdf")

    async def test_counts_report_documents_blocks_and_figures(self, shelf: Shelf) -> None:
        await shelf.put(a_document("a"), *texts("a", "one", "two"), figure("a", "fig"))
        await shelf.put(a_document("b"), *texts("b", "one"))
        counts = await shelf.index.counts(ANONYMOUS)
        assert (counts.documents, counts.blocks, counts.images, counts.without_vector) == (2, 4, 1, 0)

    async def test_an_empty_index_answers_every_request(self, shelf: Shelf) -> None:
        found = await search(shelf, "pump", ANONYMOUS)
        assert found.hits == ()
        assert any("No identity is set" in warning for warning in found.warnings)
        assert (await shelf.index.list_documents(Listing(), ANONYMOUS)).total == 0
        assert await shelf.index.values("author", ANONYMOUS) == ()
        assert (await shelf.index.counts(ANONYMOUS)).blocks == 0


async def put_many(shelf: Shelf) -> None:
    """Add seven documents, which each key sorts differently. Unknown values come last."""
    titles = ("beta", "Alpha", "gamma", "delta", "Zeta", "eta", "epsilon")
    for n, title in enumerate(titles):
        document = a_document(
            f"d{n}",
            filename=f"{'dD'[n % 2]}{n}.pdf",
            title=title,
            upload_date=f"2026-03-01T0{n}:00:00+00:00",
            document_date=f"2026-0{n + 1}-01" if n < 4 else None,
            page_count=n * 10 + 10 if n < 6 else None,
            document_type="Manual" if n % 2 else "report",
        )
        await shelf.put(document, *texts(f"d{n}", f"content of number{n}"))
