"""A text query as a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """A word as written. Its analysis may produce no term, one term or several."""

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
    """A regular expression that must match a complete term."""

    expression: re.Pattern[str]


@dataclass(frozen=True)
class Close:
    """Terms within an edit distance of the text."""

    text: str
    edits: int


@dataclass(frozen=True)
class Everything:
    pass


@dataclass(frozen=True)
class Within:
    """A part of the query that is limited to one field, or is boosted."""

    inner: Query
    field: str | None = None
    boost: float = 1.0


@dataclass(frozen=True)
class Combined:
    must: tuple[Query, ...] = ()
    should: tuple[Query, ...] = ()
    must_not: tuple[Query, ...] = ()


Query = Words | Phrase | Prefix | Pattern | Close | Everything | Within | Combined
