"""Everything that is derived from the database, made anew: the word index and the mapped vectors."""

from __future__ import annotations

from pathlib import Path

from corpus.errors import Timeout
from corpus.index.local import vector_cache
from corpus.index.local.bm25_index import BM25Index
from corpus.index.local.store import Store


def rebuild(folder: Path, busy_seconds: float = 30.0) -> None:
    """Searches go on meanwhile, with the old parts until the new ones are there. Raises NotConfigured where there is no
    index or it cannot be written, and Timeout where another process is at the words."""
    store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    words = BM25Index(folder, store, busy_seconds)
    try:
        if not words.rebuild():
            raise Timeout("Another process is at work on the word index. Try again when it is done.")
        vector_cache.remove_files(folder)
    finally:
        words.close()
        store.close()
