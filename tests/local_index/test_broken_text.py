"""Text that is not valid Unicode: file names in other encodings, lone surrogates, NUL in a name."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.documents.document import OutlineEntry
from corpus.errors import DocumentNotFound
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.local.local_index import EVERYONE
from corpus.search import Listing, Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import ANN, a_document, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio

HALF = "a\ud800b"


async def test_shown_text_marks_broken_characters_and_a_path_is_returned_unchanged(
    folder: Path,
) -> None:
    index = LocalIndex.open(folder, DigestEmbedder())
    path = os.fsdecode(b"/scans/\xfcber \xff.pdf")
    broken = a_document(
        filename=HALF, title=HALF, author=HALF, department=HALF, language=HALF, summary_brief=HALF,
        warnings=(HALF,), page_labels=(HALF,), outline=(OutlineEntry(HALF, 1),), source_path=path,
    )  # fmt: skip
    (new,) = texts("manual", f"pump {HALF}")
    block = replace(new.block, heading=HALF, image_caption=HALF, page_label=HALF, language=HALF)
    await index.replace(broken, [replace(new, block=block)])
    await embed(index, DigestEmbedder())
    await index.update(replace(broken, title=f"{HALF} again"))
    found = await index.document("manual", ANONYMOUS)
    assert (found.source_path, found.filename, found.title) == (path, "a\ufffdb", "a\ufffdb again")
    assert (found.outline[0].title, found.warnings, found.page_labels) == ("a\ufffdb", *2 * [("a\ufffdb",)])
    (hit,) = (await index.find(Search("pump"), ANONYMOUS)).hits
    assert (hit.block.content, hit.block.heading) == ("pump a\ufffdb", "a\ufffdb")
    assert [one.source_path for one in await index.all_documents()] == [path]
    await index.aclose()


async def test_any_query_with_broken_text_is_answered(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document(), texts("manual", "pump"))
    for text in (HALF, "\udfff", "\0", "manual\0"):
        caller = Caller(user_id=text, department=text, org_id=text, groups=frozenset({text}))
        assert (await index.list_documents(Listing(query=text), caller)).total in (0, 1)
        for key in ("doc_id", "filename", "author", "department"):
            wanted = Filters(**{key: (text,)})  # type: ignore[arg-type]
            await index.find(Search("pump", filters=wanted), caller)
            await index.list_documents(Listing(filters=wanted), caller)
        assert await index.by_name(f"{text} nothing", caller) == ()
        await index.blocks([text], caller)
        await index.remove(text)
        with pytest.raises(DocumentNotFound):
            await index.update(a_document(text))
    assert (await index.counts(ANONYMOUS)).documents == 1
    await index.aclose()


async def test_a_name_that_only_begins_like_a_listed_one_grants_nothing(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document("one", access_control_list=("user:ann",)), texts("one", "pump"))
    await index.replace(a_document("two", access_control_list=("user:ann\0x", HALF)), texts("two", "pump"))
    assert (await index.counts(ANN)).documents == 1
    assert (await index.counts(Caller(user_id="ann\0x"))).documents == 0
    assert (await index.document("two", EVERYONE)).access_control_list == ()
    await index.aclose()
