"""The BM25 index: the tantivy fields of each block, and functions to write and search them. Access rules are applied
elsewhere.

All of its content is derived from the database; `bm25_index.py` keeps the two in sync.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import tantivy
from tantivy import Occur, Query

from corpus.errors import IbidError
from corpus.index.local import sqlite_file
from corpus.index.local.store import crash_point
from corpus.text.analysis import Word

FORMAT = 3
"""Format version, which is part of the directory name. An index in a different format has different fields and is
rebuilt."""

_HEAP = 15_000_000
"""Heap size of the writer in bytes, which is the minimum that tantivy accepts."""
_NO_SPACE = "os error 112" if sys.platform == "win32" else "os error 28"
"""Text in tantivy's errors that reports a full disk."""

EVERYWHERE = "everywhere"
"""Term that the field `places` contains in every entry."""

_TEXTS = ("body", "exact", "context", "page_body", "places")
_NUMBERS = ("block", "doc", "page", "kind")


class DamagedIndex(Exception):
    """The BM25 index is unusable, although the database is usable."""


@contextmanager
def tantivy_errors() -> Iterator[None]:
    """Convert every failure of tantivy to DamagedIndex, including panics, which are not `Exception`s."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, IbidError, DamagedIndex):
        raise
    except BaseException as problem:
        raise DamagedIndex(str(problem)) from problem


@dataclass(frozen=True, slots=True)
class Marker:
    """The database generation that a BM25 index contains."""

    gen: int
    nonce: str


@dataclass(frozen=True, slots=True)
class Words:
    """An immutable view of the BM25 index."""

    searcher: tantivy.Searcher
    marker: Marker | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One block as tantivy indexes it. Text fields contain terms joined by spaces: `body` contains the stemmed content,
    `exact` the same content unstemmed, `context` the stems of headings and document names, `page_body` the stems of the
    entire page (only in the first block of a page), and `places` the terms from `corpus.places`."""

    block: int
    doc: int
    page: int
    kind: int
    body: str = ""
    exact: str = ""
    context: str = ""
    page_body: str = ""
    places: str = ""


@cache
def schema() -> tantivy.Schema:
    """Return the tantivy schema with all fields."""
    builder = tantivy.SchemaBuilder()
    for name in _TEXTS:
        builder.add_text_field(name, tokenizer_name="terms", index_option="freq")
    # Signed, because deletion by a term in an unsigned field silently deletes nothing.
    for name in (*_NUMBERS, "marker"):
        builder.add_integer_field(name, indexed=name != "block", fast=name == "block")
    builder.add_integer_field("gen", stored=True)
    builder.add_text_field("nonce", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


def create_index(directory: Path) -> tantivy.Index:
    """Create an empty index in a new directory."""
    directory.mkdir(mode=0o700)
    return _with_terms(tantivy.Index(schema(), path=str(directory), reuse=False))


def open_index(directory: Path) -> tantivy.Index:
    """Open an existing index."""
    return _with_terms(tantivy.Index.open(str(directory)))


def _with_terms(index: tantivy.Index) -> tantivy.Index:
    # The schema stores only the name of the tokenizer, so it must be registered whenever an index is opened.
    index.register_tokenizer("terms", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def view(index: tantivy.Index) -> Words:
    """Return a view of the latest commit."""
    index.reload()
    searcher = index.searcher()
    hits = searcher.search(Query.term_query(schema(), "marker", 1), 1, count=False).hits
    if not hits:
        return Words(searcher, None)
    stored = searcher.doc(hits[0][1]).to_dict()
    return Words(searcher, Marker(int(stored["gen"][0]), str(stored["nonce"][0])))


def entry_counts(words: Words) -> tuple[int, int]:
    """Return the number of live entries, and the number of removed entries that are still included in document
    frequencies. Both numbers include markers."""
    present = words.searcher.num_docs
    return present, words.searcher.doc_freq("places", EVERYWHERE) - present


def write(index: tantivy.Index, docs: Iterable[int], entries: Iterable[Entry], marker: Marker) -> None:
    """Replace all entries of these documents and the marker in one commit."""
    _limit_arenas()
    writer = index.writer(_HEAP, 1)
    try:
        # A process that is killed after writing a deletion file, but before writing the reference to it, leaves a file
        # that makes every later commit fail.
        writer.garbage_collect_files()
        for doc in docs:
            writer.delete_documents_by_term("doc", doc)
        for entry in entries:
            writer.add_document(_document(entry))
        writer.delete_documents_by_term("marker", 1)
        writer.add_document(_marker_document(marker))
        crash_point("words.before_commit")
        writer.commit()
        crash_point("words.committed")
    except BaseException as problem:
        with suppress(ValueError):  # on a full disk, this fails too
            writer.rollback()
        if _NO_SPACE in str(problem):
            raise sqlite_file.full() from problem
        raise
    finally:
        # Otherwise segments would never be merged, and each commit would cost more than the last.
        writer.wait_merging_threads()


def _document(entry: Entry) -> tantivy.Document:
    document = tantivy.Document()
    for name in _NUMBERS:
        document.add_integer(name, getattr(entry, name))
    for name in _TEXTS:
        document.add_text(name, getattr(entry, name))
    document.add_text("places", EVERYWHERE)
    return document


def _marker_document(marker: Marker) -> tantivy.Document:
    document = tantivy.Document()
    document.add_integer("marker", 1)
    document.add_text("places", EVERYWHERE)
    document.add_integer("gen", marker.gen)
    document.add_text("nonce", marker.nonce)
    return document


@cache
def _limit_arenas() -> None:
    """Limit glibc to two heaps, as `MALLOC_ARENA_MAX=2` in the environment does.

    Each tantivy writer starts threads, and glibc gives every thread its own heap. Without the limit, a server that also
    ingests needs twice as much memory.
    """
    if sys.platform == "linux":
        mallopt: Any = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(-8, 2)


def any_word(words: Sequence[Word], *, exact: float, context: float) -> Query:
    """Return a disjunction over the words. Each word counts only once, even if it has several stems. `exact` is the
    weight of the unstemmed word, and `context` is that of headings and document names; both are relative to the
    content's weight."""
    clauses = []
    for word in words:
        fields = (
            ("body", word.variants, 1.0),
            ("exact", word.variants[:1], exact),
            ("context", word.variants, context),
        )
        clauses += [
            (Occur.Should, Query.boost_query(any_of(name, terms), weight)) for name, terms, weight in fields if weight
        ]
    return Query.boolean_query(clauses)


def any_word_of_a_page(words: Sequence[Word]) -> Query:
    """Return a disjunction over the words that matches entire pages, each represented by its first block."""
    return Query.boolean_query([(Occur.Should, any_of("page_body", word.variants)) for word in words])


def any_of(field: str, terms: Sequence[str]) -> Query:
    """Return a query for entries with one of these terms, scored by the best matching term."""
    queries = [Query.term_query(schema(), field, term, index_option="freq") for term in terms]
    return queries[0] if len(queries) == 1 else Query.disjunction_max_query(queries)


Conditions = list[tuple[Occur, Query]]


def conditions(docs: Sequence[int] | None, pages: Sequence[int] = (), kinds: Sequence[int] = ()) -> Conditions:
    """Return clauses that restrict a search to documents (row ids), pages and block types without adding to the scores.
    None, and empty `pages` or `kinds`, mean no restriction."""
    fields = (("doc", docs), ("page", pages or None), ("kind", kinds or None))
    return [
        # A bare condition would add to every score.
        (Occur.Must, Query.const_score_query(Query.term_set_query(schema(), name, values), 0.0))
        for name, values in fields
        if values is not None
    ]


def within(query: Query, held_to: Conditions) -> Query:
    """Return the query with the conditions as restrictions."""
    return Query.boolean_query([(Occur.Must, query), *held_to]) if held_to else query


def search(words: Words, query: Query, limit: int) -> list[tuple[int, float]]:
    """Return the row ids and BM25 scores of up to `limit` blocks, best first. Raises DamagedIndex."""
    with tantivy_errors():
        hits = words.searcher.search(query, limit, count=False).hits
        blocks = words.searcher.fast_field_values("block", [address for _, address in hits])
    return [(cast(int, block), score) for block, (score, _) in zip(blocks, hits, strict=True) if block is not None]
