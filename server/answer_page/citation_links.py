"""Find the target of a citation on the HTML page: the outlined sentence on an image of the cited page, or the figure
there."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from corpus.citing.reading import markers_in
from corpus.citing.rendered_text import PlacedMarker
from corpus.synthesis.checking import citable
from corpus.verification.protocol import CheckedClaim
from server.answer_page.page_data import PageData

_FIGURE_ABOVE = re.compile(r"\]\(rag://blocks/([^)/\s]+)/image\)[\s*_]*\Z")
MAX_ABOVE = 200
_EMPHASIS = "*_ \n"


@dataclass(frozen=True, slots=True)
class Link:
    """A link from a range of the answer to an element id on the HTML page."""

    start: int
    end: int
    target: str


def of_claim(number: int) -> str:
    """Return the element id for the evidence of a claim. Claims are numbered from 1."""
    return f"ev-{number}"


def of_figure(cited: int) -> str:
    """Return the element id for a figure on its page image. `cited` is the citation number of its source."""
    return f"figure-{cited}"


def linked(made: PageData, visible: Collection[int]) -> tuple[Link, ...]:
    """Return the links for the citations whose evidence is on the HTML page. `visible` contains the numbers of the
    claims with such evidence."""
    answer = made.answer
    framed = {cited for page in made.pages for cited in page.framed}
    of_block = {one.hit.block.block_id: one.citation_number for one in answer.sources if one.hit}
    links = []
    for marker in markers_in(answer.text, [citable(source) for source in answer.sources]):
        cited = next(iter(marker.sources.citations), None)
        below = _FIGURE_ABOVE.search(answer.text, max(0, marker.start - MAX_ABOVE), marker.start)
        figure = of_block.get(below[1]) if below else cited
        number = None if below or cited is None else _claim_at(cited, marker.start, answer.claims, visible)
        if number is not None:
            links.append(Link(*_within(answer.text, marker), of_claim(number)))
        elif figure in framed:
            links.append(Link(*_within(answer.text, marker), of_figure(figure)))
    return tuple(links)


def _within(text: str, marker: PlacedMarker) -> tuple[int, int]:
    """Return the offsets of a marker without the emphasis around it, because a link must not contain only one end of an
    emphasis."""
    written = text[marker.start : marker.end]
    start = marker.start + len(written) - len(written.lstrip(_EMPHASIS))
    return start, max(start, marker.start + len(written.rstrip(_EMPHASIS)))


def _claim_at(cited: int, place: int, claims: Sequence[CheckedClaim], visible: Collection[int]) -> int | None:
    """Return the number of the first claim in the run of claims before `place` whose evidence is in the source `cited`.
    If there is none before `place`, return the first such claim after it, or None."""
    candidates = [
        n for n, one in enumerate(claims, 1) if n in visible and one.evidence and one.evidence.number == cited
    ]
    above = [n for n in candidates if claims[n - 1].claim.start < place]
    if not above:
        return candidates[0] if candidates else None
    first = above[-1]
    while first - 1 in above:
        first -= 1
    return first
