"""The word index: what tantivy holds and how it is searched. It knows nothing of access.

Everything in it is derived; `replay.py` keeps it in step with the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import tantivy
from tantivy import Occur, Query

from corpus.index.local.analysis import Word


@dataclass(frozen=True, slots=True)
class Marker:
    """Which generation of the database a word index holds."""

    gen: int
    nonce: str


@dataclass(frozen=True, slots=True)
class Words:
    """One unchanging view of a word index."""

    searcher: tantivy.Searcher
    marker: Marker | None


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search is held to; None holds it to nothing."""

    docs: Sequence[int] | None = None
    pages: Sequence[int] = ()
    kinds: Sequence[int] = ()


@cache
def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("body", "context"):
        builder.add_text_field(name, tokenizer_name="terms", index_option="freq")
    # Signed: a deletion by a term of an unsigned field deletes nothing, in silence.
    for name in ("block", "doc", "page", "kind", "marker"):
        builder.add_integer_field(name, indexed=name != "block", fast=name == "block")
    builder.add_integer_field("gen", stored=True)
    builder.add_text_field("nonce", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


def created(directory: Path) -> tantivy.Index:
    directory.mkdir(mode=0o700)
    return _with_terms(tantivy.Index(schema(), path=str(directory), reuse=False))


def opened(directory: Path) -> tantivy.Index:
    return _with_terms(tantivy.Index.open(str(directory)))


def _with_terms(index: tantivy.Index) -> tantivy.Index:
    # Named in the schema, but each opened index must be told what it is.
    index.register_tokenizer("terms", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def view(index: tantivy.Index) -> Words:
    """The newest committed state."""
    index.reload()
    searcher = index.searcher()
    found = searcher.search(Query.term_query(schema(), "marker", 1), 1, count=False).hits
    if not found:
        return Words(searcher, None)
    stored = searcher.doc(found[0][1]).to_dict()
    return Words(searcher, Marker(int(stored["gen"][0]), str(stored["nonce"][0])))


def query_for(words: Sequence[Word], context_weight: float, scope: Scope) -> Query:
    """Any of the words, each counted once however many stems it has; what tells documents apart (title, file
    name, heading) weighs less than what a passage says.

    Function words count only where nothing else is asked: those of one language are rare in another, and so would
    weigh most where they say least.
    """
    telling = [word for word in words if word.kind != "function"]
    asked = [(Occur.Should, any_of("body", word.variants)) for word in telling or words]
    asked += [
        (Occur.Should, Query.boost_query(any_of("context", word.variants), context_weight))
        for word in telling
        if context_weight > 0
    ]
    text = Query.boolean_query(asked)
    fields = (("doc", scope.docs), ("page", scope.pages or None), ("kind", scope.kinds or None))
    held = [
        # A bare condition would add to every score.
        (Occur.Must, Query.const_score_query(Query.term_set_query(schema(), name, values), 0.0))
        for name, values in fields
        if values is not None
    ]
    return Query.boolean_query([(Occur.Must, text), *held]) if held else text


def any_of(field: str, variants: Sequence[str]) -> Query:
    """What has one of these terms, by the one that scores most."""
    queries = [Query.term_query(schema(), field, term, index_option="freq") for term in variants]
    return queries[0] if len(queries) == 1 else Query.disjunction_max_query(queries)


def search(words: Words, query: Query, limit: int) -> list[tuple[int, float]]:
    """Row ids of blocks with their BM25 scores, best first."""
    hits = words.searcher.search(query, limit, count=False).hits
    blocks = words.searcher.fast_field_values("block", [address for _, address in hits])
    return [
        (cast(int, block), score) for block, (score, _) in zip(blocks, hits, strict=True) if block is not None
    ]
