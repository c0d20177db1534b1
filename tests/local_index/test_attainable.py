"""Which words of a question are known, whoever asks: passages that may not be read make none known."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.index.local import LocalIndex, lexical
from corpus.index.local.analysis import query_words
from corpus.index.local.attainable import attainable
from tests.local_index.inside import words_directory
from tests.shelf import a_document, texts

pytestmark = pytest.mark.anyio


async def test_words_are_known_by_what_may_be_read(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document("a", title="t"), texts("a", *["pump"] * 11))
    await index.replace(a_document("b", title="t"), texts("b", "a long text on one pump", "valve E-04"))
    await index.replace(a_document("c", title="t"), texts("c", "nothing of the kind"))
    words = lexical.view(lexical.opened(words_directory(folder)))
    asked, _ = query_words("pump valve E-04 kind unheard", ["en"], 64)
    with index._store.reading() as (connection, _):
        documents = dict(connection.execute("SELECT id, doc FROM blocks").fetchall())
    ids = sorted(set(documents.values()))
    scores = []
    for held in ([], ids[:1], ids[1:2], ids[2:], ids[:2], ids[1:], ids):
        scores.append(attainable(words, asked, held).score)
    assert scores[-1] == attainable(words, asked, None).score
    assert len(set(scores)) > 3
    await index.aclose()
