"""The full (Lucene) query syntax.

It supports + - AND OR NOT && || ! ( ), field:, "phrases"~2, prefix*, wild?card*, near~1, /regular expressions/ and ^2,
but no ranges.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.full_tokens import Token, full_tokens
from tests.doubles.azure_search.patterns import from_regex, from_wildcards
from tests.doubles.azure_search.text_query import (
    Close,
    Combined,
    Pattern,
    Phrase,
    Prefix,
    Query,
    Within,
    Words,
)

_MAX_NESTING = 100


def parse_full(text: str, *, every: bool, searchable: frozenset[str]) -> Query | None:
    """Return the query. Refuse an invalid text, and report the position of the error."""
    parser = _Full(text, every, searchable)
    found = parser.clauses(0)
    if parser.next.kind != "end":
        raise unparsable(parser.next.start)
    return found


def unparsable(place: int) -> Refused:
    message = (
        f"Failed to parse query string at line 1, column {place}. "
        "See https://aka.ms/azure-search-full-query for supported syntax."
    )
    return Refused(400, message, code="InvalidRequestParameter", detail="InvalidSearchSyntax")


@dataclass
class _Clause:
    query: Query
    occur: str
    """must, should or must_not"""


class _Full:
    def __init__(self, text: str, every: bool, searchable: frozenset[str]) -> None:
        self._tokens = full_tokens(text, unparsable)
        self._place = 0
        self._every = every
        self._searchable = searchable

    @property
    def next(self) -> Token:
        return self._tokens[self._place]

    def clauses(self, depth: int) -> Query | None:
        found: list[_Clause] = []
        while self.next.kind not in ("end", ")"):
            joiner = self._take() if self.next.kind in ("AND", "OR") else None
            if joiner and not found:
                raise unparsable(joiner.start)
            sign = self._take().kind if self.next.kind in ("+", "-", "NOT") else ""
            query = self._clause(depth)
            self._add(found, joiner.kind if joiner else "", sign, query)
        if not found:
            return None
        if len(found) == 1 and found[0].occur != "must_not":
            return found[0].query
        groups = {occur: tuple(one.query for one in found if one.occur == occur) for occur in _OCCURS}
        return Combined(**groups)

    def _add(self, found: list[_Clause], joiner: str, sign: str, query: Query | None) -> None:
        """Apply Lucene's rule: AND makes both sides required. OR makes them optional if all words are required by
        default."""
        if found and found[-1].occur != "must_not":
            if joiner == "AND":
                found[-1].occur = "must"
            elif joiner == "OR" and self._every:
                found[-1].occur = "should"
        if query is None:
            return
        needed = sign == "+" or joiner == "AND" or (self._every and joiner != "OR")
        found.append(_Clause(query, "must_not" if sign in ("-", "NOT") else "must" if needed else "should"))

    def _clause(self, depth: int) -> Query | None:
        field = self._take().text if self.next.kind == "field" else None
        if field is not None and field not in self._searchable:
            message = f"The field '{field}' in the search text is not searchable or does not exist."
            raise Refused(400, message, code="InvalidRequestParameter", detail="FieldNotSearchable")
        token = self._take()
        query = self._group(token, depth) if token.kind == "(" else self._leaf(token)
        boost = float(self._take().text) if self.next.kind == "boost" else 1.0
        return query if query is None or (field is None and boost == 1.0) else Within(query, field, boost)

    def _group(self, token: Token, depth: int) -> Query | None:
        if depth > _MAX_NESTING:
            raise unparsable(token.start)
        inner = self.clauses(depth + 1)
        if self.next.kind != ")" or inner is None:
            raise unparsable(self.next.start)
        self._take()
        return inner

    def _leaf(self, token: Token) -> Query | None:
        fuzzy = self._take().text if token.kind in ("word", "phrase") and self.next.kind == "fuzzy" else None
        match token.kind:
            case "phrase":
                return Phrase(token.text, int(float(fuzzy or 0)))
            case "regex":
                return Pattern(from_regex(token.text, lambda: unparsable(token.start)))
            case "prefix":
                return Prefix(token.text)
            case "wildcard":
                return Pattern(from_wildcards(token.text))
            case "word":
                return Words(token.text) if fuzzy is None else Close(token.text, min(int(float(fuzzy or 2)), 2))
        raise unparsable(token.start)

    def _take(self) -> Token:
        self._place += 1
        return self._tokens[self._place - 1]


_OCCURS = ("must", "should", "must_not")
