"""Write citations in either style: by number with a list below, or by source after each claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.citing.reading import markers_in
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import citable


def source_list(sources: Iterable[Source]) -> str:
    """The list of sources in Markdown, one a line: `[1] (Source: manual.pdf, S. 46)`."""
    return "  \n".join(f"[{source.citation_number}] {source.citation}" for source in sources)


def cite_by_source(answer: str, sources: Sequence[Source]) -> str:
    """The answer with each `[N]` replaced by the citations of its sources. A marker of no source remains."""
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
