"""Which words of a question are known, whoever asks: passages that may not be read make none known."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.index.local import LocalIndex, lexical
from corpus.index.local.analysis import query_words
from corpus.index.local.attainable import LOOKED_AT, HeldTo, attainable
from tests.local_index.inside import words_directory
from tests.shelf import a_document, texts

pytestmark = pytest.mark.anyio


async def test_a_look_at_the_first_passages_knows_the_same_words_as_a_search_of_all(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document("a", title="t"), texts("a", *["pump"] * (LOOKED_AT + 1)))
    await index.replace(a_document("b", title="t"), texts("b", "a long text on one pump", "valve E-04"))
    await index.replace(a_document("c", title="t"), texts("c", "nothing of the kind"))
    words = lexical.view(lexical.opened(words_directory(folder)))
    asked, _ = query_words("pump valve E-04 kind unheard", ["en"], 64)
    with index._store.reading() as (connection, _):
        documents = dict(connection.execute("SELECT id, doc FROM blocks").fetchall())
    ids = sorted(set(documents.values()))
    scores = []
    for held in ([], ids[:1], ids[1:2], ids[2:], ids[:2], ids[1:], ids):

        def there(blocks: list[int], held: list[int] = held) -> set[int]:
            return {block for block in blocks if documents[block] in held}

        looked = attainable(words, asked, HeldTo(held, True, there))
        assert looked == attainable(words, asked, HeldTo(held, False, there))
        scores.append(looked.score)
    assert looked == attainable(words, asked, None)
    assert len(set(scores)) > 3
    await index.aclose()
