"""The two ways in which an answer cites: by number with a list below, or by source after each claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from corpus.synthesis.answer import Source

_NUMBER = re.compile(r"\[(\d+)\]")


def source_list(sources: Iterable[Source]) -> str:
    """`[1] (Source: manual.pdf, S. 46)`, a line each."""
    return "  \n".join(f"[{source.citation_number}] {source.citation}" for source in sources)


def by_source(answer: str, sources: Sequence[Source]) -> str:
    """The answer with each marker that numbers sources replaced by what they are called."""
    called = {str(source.citation_number): source.citation for source in sources}
    return _NUMBER.sub(lambda found: called.get(found[1], found[0]), answer)
