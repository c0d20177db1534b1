"""The two ways in which an answer cites: by number with a list below, or by source after each claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.citing.reading import markers_in
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import citable


def source_list(sources: Iterable[Source]) -> str:
    """`[1] (Source: manual.pdf, S. 46)`, a line each."""
    return "  \n".join(f"[{source.citation_number}] {source.citation}" for source in sources)


def by_source(answer: str, sources: Sequence[Source]) -> str:
    """The answer with each marker replaced by what its sources are called. One that names no source stays as it is."""
    called = {source.citation_number: source.citation for source in sources}
    parts, at = [], 0
    for marker in markers_in(answer, [citable(source) for source in sources]):
        if marker.sources.invalid or not marker.sources.citations:
            continue
        names = " ".join(dict.fromkeys(called[number] for number in marker.sources.citations))
        before = answer[at : marker.start]
        parts += [before, "" if not before or before[-1].isspace() else " ", names]
        at = marker.end
    return "".join([*parts, answer[at:]])
