"""Number retrieved blocks and observations as sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from corpus.citations import PAGE, citation, with_distinct_names
from corpus.citing.reading import markers_in
from corpus.search import Hit
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import citable
from corpus.synthesis.request import Observation
from corpus.text.normalization import clean


def source_list(sources: Iterable[Source]) -> str:
    """Return the list of sources in Markdown, one per line: `[1] (Source: manual.pdf, S. 46)`."""
    return "  \n".join(f"[{source.citation_number}] {source.citation}" for source in sources)


def cite_by_source(answer: str, sources: Sequence[Source]) -> str:
    """Replace each `[N]` in the answer with the citations of its sources. Keep markers that match no source."""
    citations = {source.citation_number: source.citation for source in sources}
    parts, at = [], 0
    for marker in markers_in(answer, [citable(source) for source in sources]):
        if marker.sources.invalid or not marker.sources.citations:
            continue
        names = " ".join(dict.fromkeys(citations[number] for number in marker.sources.citations))
        before = answer[at : marker.start]
        parts += [before, "" if not before or before[-1].isspace() else " ", names]
        at = marker.end
    return "".join([*parts, answer[at:]])


MAX_URL = 300
"""Maximum length in characters of a URL in a citation."""


def number_sources(
    hits: Iterable[Hit], observations: Iterable[Observation] = (), page: str = PAGE
) -> tuple[Source, ...]:
    """Return the hits in their order, then the observations, numbered from 1. `page` is the abbreviation for "page"."""
    hits = list(hits)
    documents = with_distinct_names(hit.document for hit in hits)
    blocks = [Source(0, citation(documents[hit.document.doc_id], hit.block, page), hit=hit) for hit in hits]
    return renumber([*blocks, *(Source(0, observation_citation(each), observation=each) for each in observations)])


def renumber(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Return the sources in this order, numbered from 1."""
    return tuple(replace(source, citation_number=n) for n, source in enumerate(sources, 1))


def observation_citation(observation: Observation) -> str:
    """Return the citation of an observation: `[Source: URL]`, or its title with a note that distinguishes it from an
    indexed file."""
    url = (observation.url or "").strip()
    if url.startswith(("https://", "http://")) and len(url) <= MAX_URL and _is_plain(url):
        return f"[Source: {url}]"
    name = " ".join(clean(observation.title or "").split())[:100].translate(_NO_BRACKETS)
    return f"[Source: {name}, handed in by the client]" if name else "[Source: handed in by the client]"


_NO_BRACKETS = str.maketrans("", "", "[]()<>`*_\\|")


def _is_plain(url: str) -> bool:
    return not any(letter in '[]<>"`\\^{|}' or letter <= " " or letter == "\x7f" for letter in url)
