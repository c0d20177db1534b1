"""The embedded index: SQLite is the source of truth, tantivy ranks by BM25, an int8 matrix ranks by vectors."""

from corpus.index.local.local_index import LocalIndex

__all__ = ["LocalIndex"]
