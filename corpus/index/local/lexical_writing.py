"""Writing to a word index: one commit for whole documents and the marker of the generation they are of."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import tantivy

from corpus.index.local.changes import crash_point as stage
from corpus.index.local.lexical import Marker

_HEAP = 15_000_000
"""Bytes; tantivy takes no less."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One block as it is searched by words: terms joined by spaces."""

    block: int
    doc: int
    page: int
    kind: int
    body: str
    context: str


def write(index: tantivy.Index, docs: Iterable[int], entries: Iterable[Entry], marker: Marker) -> None:
    """Replace all entries of these documents, and the marker, in one commit."""
    _limit_arenas()
    writer = index.writer(_HEAP, 1)
    try:
        # A process killed between writing a deletion and naming it leaves a file that fails every later commit.
        writer.garbage_collect_files()
        for doc in docs:
            writer.delete_documents_by_term("doc", doc)
        for entry in entries:
            writer.add_document(_document(entry))
        writer.delete_documents_by_term("marker", 1)
        writer.add_document(_marker_document(marker))
        stage("words.before_commit")
        writer.commit()
        stage("words.committed")
    except BaseException:
        writer.rollback()
        raise
    finally:
        # Without it segments are never merged, and every commit is dearer than the one before.
        writer.wait_merging_threads()


def _document(entry: Entry) -> tantivy.Document:
    document = tantivy.Document()
    for name in ("block", "doc", "page", "kind"):
        document.add_integer(name, getattr(entry, name))
    document.add_text("body", entry.body)
    document.add_text("context", entry.context)
    return document


def _marker_document(marker: Marker) -> tantivy.Document:
    document = tantivy.Document()
    document.add_integer("marker", 1)
    document.add_integer("gen", marker.gen)
    document.add_text("nonce", marker.nonce)
    return document


@cache
def _limit_arenas() -> None:
    """Every writer starts threads, and glibc gives each its own heap and keeps it: a server that ingests grew to
    twice its size. From inside, this is all that can be done; MALLOC_ARENA_MAX=2 at the start does the same."""
    if sys.platform == "linux":
        mallopt: Any = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(-8, 2)
