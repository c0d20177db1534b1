"""Documents that a question names, by the words in which their names differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from corpus.documents import Document
from corpus.index.local.analysis import terms
from corpus.synthesis.composing.question import Asked


def named(documents: Iterable[Document], asked: Asked) -> dict[str, float]:
    """How far the question names each document, by id, 0..1: 1 for the one that it names best, and for all where it
    names none. A word that many of the names have counts little."""
    words = {one.doc_id: _words(one) for one in documents}
    often = Counter(word for held in words.values() for word in held)
    wanted = set(asked.words)
    shares = {doc: sum(1 / often[word] for word in held & wanted) for doc, held in words.items()}
    most = max(shares.values(), default=0.0)
    return {doc: share / most if most else 1.0 for doc, share in shares.items()}


def _words(document: Document) -> set[str]:
    return set(terms(f"{PurePath(document.filename).stem} {document.title}".replace("_", " "), None))
