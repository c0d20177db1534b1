"""The embedded index: SQLite holds the truth, tantivy ranks words, an int8 matrix ranks vectors."""

from corpus.index.local.local_index import LocalIndex

__all__ = ["LocalIndex"]
