"""Number retrieved blocks and observations as sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from corpus.citations import PAGE, citation, with_distinct_names
from corpus.search import Hit
from corpus.synthesis.answer import Source
from corpus.synthesis.request import Observation
from corpus.text.normalization import clean

MAX_URL = 300
"""Characters of an address in a citation."""


def number_sources(
    hits: Iterable[Hit], observations: Iterable[Observation] = (), page: str = PAGE
) -> tuple[Source, ...]:
    """The hits in their order, then the observations, numbered from 1. `page` is the abbreviation for "page"."""
    hits = list(hits)
    documents = with_distinct_names(hit.document for hit in hits)
    blocks = [Source(0, citation(documents[hit.document.doc_id], hit.block, page), hit=hit) for hit in hits]
    return renumber([*blocks, *(Source(0, observation_citation(each), observation=each) for each in observations)])


def renumber(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources in this order, numbered from 1."""
    return tuple(replace(source, citation_number=n) for n, source in enumerate(sources, 1))


def observation_citation(observation: Observation) -> str:
    """The citation of an observation: `[Source: URL]`, or its title with a note that sets it apart from an indexed
    file."""
    url = (observation.url or "").strip()
    if url.startswith(("https://", "http://")) and len(url) <= MAX_URL and _is_plain(url):
        return f"[Source: {url}]"
    name = " ".join(clean(observation.title or "").split())[:100].translate(_NO_BRACKETS)
    return f"[Source: {name}, handed in by the client]" if name else "[Source: handed in by the client]"


_NO_BRACKETS = str.maketrans("", "", "[]()<>`*_\\|")


def _is_plain(url: str) -> bool:
    return not any(letter in '[]<>"`\\^{|}' or letter <= " " or letter == "\x7f" for letter in url)
