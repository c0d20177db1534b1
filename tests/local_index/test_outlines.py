"""Data that grows with a document's length is loaded only for that document."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.documents.document import OutlineEntry
from corpus.index.local import LocalIndex
from corpus.search import Listing, Search
from tests.shelf import a_document, texts

pytestmark = pytest.mark.anyio


async def test_hits_and_lists_load_no_outlines_or_labels(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    long = a_document(outline=(OutlineEntry("Start", 1, 1),), page_labels=("i",), warnings=("one",))
    await index.replace(long, texts("manual", "pump"))
    (hit,) = (await index.find(Search("pump"), ANONYMOUS)).hits
    (listed,) = (await index.list_documents(Listing(), ANONYMOUS)).documents
    for brief in (hit.document, listed):
        assert (brief.title, brief.warnings) == ("The manual", ("one",))
        assert (brief.outline, brief.page_labels) == ((), ())
    for whole in (await index.document("manual", ANONYMOUS), *await index.all_documents()):
        assert (whole.outline, whole.page_labels) == (long.outline, long.page_labels)
    await index.aclose()
