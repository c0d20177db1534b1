"""The word index on disk, which only the tests of this engine check."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tantivy import Query

from corpus.index.local import bm25
from corpus.index.local.store import FILE


def words_directory(folder: Path) -> Path:
    with closing(sqlite3.connect(folder / FILE)) as database:
        return folder / str(database.execute("SELECT directory FROM state").fetchone()[0])


def words_hold_the_database(folder: Path) -> None:
    """Check that the word index has every block once, no removed block, one marker, and one directory."""
    with closing(sqlite3.connect(folder / FILE)) as database:
        blocks = {block for (block,) in database.execute("SELECT id FROM blocks")}
        gone = database.execute("SELECT count(*) FROM blocks WHERE doc NOT IN (SELECT id FROM documents)").fetchone()[0]
    view = bm25.view(bm25.open_index(words_directory(folder)))
    hits = view.searcher.search(Query.all_query(), 10_000, count=False).hits
    held = view.searcher.fast_field_values("block", [address for _, address in hits])
    assert sorted(block for block in held if block is not None) == sorted(blocks)
    assert (view.searcher.num_docs, gone) == (len(blocks) + 1, 0)
    assert len([*folder.glob("words-*")]) == 1


def damage_words(folder: Path) -> None:
    """Delete files, like a user who takes the folder for a cache."""
    shutil.rmtree(words_directory(folder))
