"""The embedded index: SQLite is the source of truth, tantivy ranks by BM25, and a matrix of int8 codes ranks by vector
similarity."""

from corpus.index.local.local_index import LocalIndex

__all__ = ["LocalIndex"]
