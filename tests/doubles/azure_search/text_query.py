"""A text query as a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """A word as it was written; its analysis can make none, one or several terms of it."""

    text: str


@dataclass(frozen=True)
class Phrase:
    text: str
    slop: int = 0


@dataclass(frozen=True)
class Prefix:
    text: str


@dataclass(frozen=True)
class Pattern:
    """A regular expression that a whole term must match."""

    expression: re.Pattern[str]


@dataclass(frozen=True)
class Close:
    """Terms that differ from the text in so many letters at most."""

    text: str
    edits: int


@dataclass(frozen=True)
class Everything:
    pass


@dataclass(frozen=True)
class Within:
    """The part of a query that looks into one field only, or counts more."""

    inner: Query
    field: str | None = None
    boost: float = 1.0


@dataclass(frozen=True)
class Combined:
    must: tuple[Query, ...] = ()
    should: tuple[Query, ...] = ()
    must_not: tuple[Query, ...] = ()


Query = Words | Phrase | Prefix | Pattern | Close | Everything | Within | Combined
