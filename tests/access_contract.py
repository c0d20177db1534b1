"""Access rights, for every engine: a document that a caller may not read looks like one that does not exist."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.access import ANONYMOUS, Caller, may_read
from corpus.errors import DocumentNotFound, InvalidRequest
from corpus.index.protocol import Index
from corpus.search import Listing
from tests.shelf import ANN, OpenShelf, Shelf, a_document, doc_ids, documents_of, figure, ids, search, texts

NAMES = ("ann", "hr", "ö'x\"")
PRINCIPALS = (
    "*",
    *NAMES,
    *(f"{kind}:{name}" for kind in ("user", "department", "org", "group") for name in NAMES),
)

access_lists = st.lists(st.sampled_from(PRINCIPALS), max_size=3, unique=True).map(tuple)
callers = st.builds(
    Caller,
    user_id=st.none() | st.sampled_from(NAMES),
    department=st.none() | st.sampled_from(NAMES),
    org_id=st.none() | st.sampled_from(NAMES),
    groups=st.frozensets(st.sampled_from(NAMES), max_size=2),
)


@dataclass(frozen=True)
class Seen:
    """Everything that a caller can get of one document from an index."""

    found: bool
    listed: bool
    counted: bool
    named: bool
    block: bool
    value: bool
    refusals: tuple[str, ...]


class AccessContract:
    @settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        lists=st.lists(access_lists, min_size=1, max_size=4),
        asking=st.lists(callers, min_size=1, max_size=4),
        prefixed=st.booleans(),
    )
    async def test_a_document_is_visible_only_to_callers_on_its_list(
        self, open_shelf: OpenShelf, lists: list[tuple[str, ...]], asking: list[Caller], prefixed: bool
    ) -> None:
        async with open_shelf(prefixed=prefixed) as shelf:
            for n, access in enumerate(lists):
                await put_secret(shelf, n, access)
            for caller in asking:
                await self._check(shelf, lists, caller, prefixed)

    async def _check(self, shelf: Shelf, lists: list[tuple[str, ...]], caller: Caller, prefixed: bool) -> None:
        readable = {f"doc{n}" for n, access in enumerate(lists) if may_read(access, caller, prefixed=prefixed)}
        listed = await shelf.index.list_documents(Listing(limit=100), caller)
        counts = await shelf.index.counts(caller)
        assert set(doc_ids(listed.documents)) == readable
        assert (listed.total, counts.documents, counts.blocks, counts.images) == (
            len(readable), len(readable), 2 * len(readable), len(readable),
        )  # fmt: skip
        begun = await shelf.index.begun("", 100, caller)
        assert (set(begun.doc_ids), begun.total) == (readable, len(readable))
        assert set(await shelf.index.values("filename", caller)) == {f"{doc_id}.pdf" for doc_id in readable}
        assert documents_of(await search(shelf, "shared secret", caller, top_k=50)) == readable
        none = await what_is_seen(shelf, "none0", caller) if len(readable) < len(lists) else ALL
        for n in range(len(lists)):
            assert await what_is_seen(shelf, f"doc{n}", caller) == (ALL if f"doc{n}" in readable else none)

    async def test_an_unreadable_document_looks_like_a_missing_one_byte_for_byte(self, open_shelf: OpenShelf) -> None:
        async with open_shelf(prefixed=True) as shelf:
            await put_secret(shelf, 0, ("user:ann",))
            assert (await what_is_seen(shelf, "doc0", ANN)) == ALL
            hidden = await what_is_seen(shelf, "doc0", ANONYMOUS)
            await shelf.remove("doc0")
            assert hidden == await what_is_seen(shelf, "doc0", ANONYMOUS)
            assert len(hidden.refusals) == 5

    async def test_an_empty_access_list_is_readable_by_nobody(self, open_shelf: OpenShelf) -> None:
        async with open_shelf(prefixed=True) as shelf:
            await put_secret(shelf, 0, ())
            assert (await search(shelf, "secret", ANN)).hits == ()

    async def test_the_best_readable_blocks_are_found_behind_many_better_unreadable_ones(
        self, open_shelf: OpenShelf
    ) -> None:
        async with open_shelf(prefixed=True) as shelf:
            hidden = a_document("hidden", access_control_list=("user:bob",))
            await shelf.put(hidden, *texts("hidden", *(f"pump oil pump oil {n}" for n in range(120))))
            await shelf.put(a_document("open"), *texts("open", "Somewhere in here a pump is named, among others."))
            found = await search(shelf, "pump oil", ANN, top_k=3)
            assert ids(found) == ["open-0"]

    async def test_a_changed_list_applies_to_the_next_query(self, open_shelf: OpenShelf) -> None:
        async with open_shelf(prefixed=True) as shelf:
            for access, readable in (
                (("user:ann",), True),
                (("user:bob",), False),
                (("department:hr",), True),
            ):
                await put_secret(shelf, 0, access)
                assert bool((await search(shelf, "secret0", ANN)).hits) == readable

    async def test_only_prefixes_distinguish_a_user_from_a_department_of_the_same_name(
        self, open_shelf: OpenShelf
    ) -> None:
        for prefixed in (True, False):
            async with open_shelf(prefixed=prefixed) as shelf:
                await put_secret(shelf, 0, ("department:hr",) if prefixed else ("hr",))
                found = await search(shelf, "shared secret0", Caller(user_id="hr"))
                assert bool(found.hits) != prefixed


ALL = Seen(True, True, True, True, True, True, ())


async def put_secret(shelf: Shelf, n: int, access: tuple[str, ...]) -> None:
    document = a_document(f"doc{n}", author=f"author{n}", access_control_list=access)
    await shelf.put(document, *texts(f"doc{n}", f"shared secret{n}"), figure(f"doc{n}", "a picture"))


async def what_is_seen(shelf: Shelf, doc_id: str, caller: Caller) -> Seen:
    index, n = shelf.index, doc_id.removeprefix("doc")
    found = await search(shelf, f"secret{n}", caller, doc_id=doc_id)
    listed = await index.list_documents(Listing(query=doc_id), caller)
    return Seen(
        found=bool(found.hits),
        listed=bool(listed.documents),
        counted=bool(listed.total),
        named=bool(await index.by_name(f"{doc_id}.pdf", caller)),
        block=bool(await index.blocks([f"{doc_id}-0"], caller)),
        value=f"author{n}" in await index.values("author", caller),
        refusals=tuple([text async for text in _refusals(shelf, doc_id, caller)]),
    )


async def _address(index: Index, block_id: str, caller: Caller) -> None:
    """Raise DocumentNotFound if the picture has no address, like a look-up. Do not raise for a caller who may read the
    block of an index that signs no addresses."""
    if not await index.picture_addresses([block_id], caller) and not await index.blocks([block_id], caller):
        raise DocumentNotFound("no address")


async def _refusals(shelf: Shelf, doc_id: str, caller: Caller) -> AsyncIterator[str]:
    """Return the messages of all refused look-ups, without the requested name."""
    index = shelf.index
    asks: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: index.document(doc_id, caller),
        lambda: index.pages(doc_id, 1, 9, caller),
        lambda: index.figures(doc_id, caller),
        lambda: index.picture(f"{doc_id}-f1", caller),
        lambda: _address(index, f"{doc_id}-f1", caller),
    )
    for ask in asks:
        try:
            await ask()
        except InvalidRequest:  # the index has no pictures, and the caller may see this document
            continue
        except DocumentNotFound as refusal:
            yield f"{refusal} {refusal.hints}".replace(doc_id, "*")
