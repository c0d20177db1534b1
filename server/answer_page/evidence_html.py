"""The evidence: pages with the sentences outlined, and what stands in sources that have no page to show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from html import escape

from corpus.blocks import Box
from corpus.citations import as_read
from corpus.outlines import outlined
from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim
from server.answer_page import rows
from server.answer_page.answer_html import data_address
from server.answer_page.languages import written
from server.answer_page.promise import Gathered, ShownPage
from server.answer_page.targets import of_claim, of_figure
from server.answer_page.verdicts import SIGNS, WORDS

Spoken = Mapping[int, str | None]
"""The language of each source by its number."""


def on_pages(pages: Iterable[ShownPage]) -> frozenset[int]:
    """The numbers of the claims that are marked on a page."""
    return frozenset(number for page in pages for number in page.marked)


def evidence_html(made: Gathered) -> str:
    claims = made.told.claims
    first: set[int] = set()
    spoken = {source.citation_number: source.language for source in made.told.sources}
    pages = [_page(page, number, claims, first, spoken) for number, page in enumerate(made.pages, 1)]
    cards = _cards(made, on_pages(made.pages))
    left = [f"<li>{escape(place)}: {escape(reason)}</li>" for place, reason in made.left_out]
    told = f'<div class="left"><h3>Pages not shown</h3><ul>{"".join(left)}</ul></div>' if left else ""
    nothing = "" if pages or cards else "<p>No source is cited, so there is no page to show.</p>"
    return "\n".join((*pages, *cards, told, nothing))


def box_rules(pages: Iterable[ShownPage]) -> str:
    """Where each outline lies, as style rules: attributes of style are not allowed on this page."""
    rules = []
    for number, page in enumerate(pages, 1):
        for claim, boxes in page.marked.items():
            for n, box in enumerate(boxes):
                rules.append(f".b{number}-{claim}-{n}{{{_shares(box, page.picture.size)}}}")
        for cited, box in page.framed.items():
            rules.append(f".f{number}-{cited}{{{_shares(box, page.picture.size)}}}")
    return "\n".join(rules)


def _shares(box: Box, size: tuple[float, float]) -> str:
    left, top, width, height = outlined(box, size)
    return f"left:{left:.2f}%;top:{top:.2f}%;width:{width:.2f}%;height:{height:.2f}%"


def _page(
    page: ShownPage, number: int, claims: tuple[CheckedClaim, ...], first: set[int], spoken: Spoken
) -> str:
    marked = []
    for claim, boxes in page.marked.items():
        outlines = "".join(
            # A sentence that goes on over a page is told twice and has one address.
            f'<i class="box b{number}-{claim}-{n}"{_address(claim, first)}></i>'
            for n in range(len(boxes))
        )
        marked.append(f'<span class="ev {claims[claim - 1].verdict}">{outlines}</span>')
    for cited in page.framed:
        frame = f'<i class="box f{number}-{cited}" id="{of_figure(cited)}" tabindex="-1"></i>'
        marked.append(f'<span class="frame">{frame}</span>')
    notes = "".join(_note(claim, claims[claim - 1], spoken) for claim in page.marked)
    place = escape(page.place)
    return (
        f'<figure class="source"><figcaption>{place}</figcaption>'
        f'<div class="sheet"><img src="{data_address(page.picture)}" alt="Page: {place}">{"".join(marked)}</div>'
        f'<ul class="notes">{notes}</ul></figure>'
    )


def _address(claim: int, first: set[int]) -> str:
    if claim in first:
        return ""
    first.add(claim)
    return f' id="{of_claim(claim)}" tabindex="-1"'


def _note(number: int, one: CheckedClaim, spoken: Spoken) -> str:
    quote = escape(rows.read(one.evidence.text)) if one.evidence else ""
    language = written(spoken.get(one.evidence.number)) if one.evidence else ""
    return (
        f'<li><a class="back" href="#at-{number}" aria-label="Back to claim {number} in the answer">'
        f'<span class="badge {one.verdict}">{SIGNS[one.verdict]} {number}</span></a> '
        f'<span class="word">{WORDS[one.verdict]}</span> <q{language}>{quote}</q></li>'
    )


def _cards(made: Gathered, placed: Collection[int]) -> list[str]:
    of: Mapping[int, Source] = {source.citation_number: source for source in made.told.sources}
    cards: dict[int, list[tuple[int, CheckedClaim]]] = {}
    for number, one in enumerate(made.told.claims, 1):
        if one.evidence and number not in placed and one.evidence.number in of:
            cards.setdefault(one.evidence.number, []).append((number, one))
    return [_card(of[number], held) for number, held in cards.items()]


def _card(source: Source, held: list[tuple[int, CheckedClaim]]) -> str:
    spoken = {source.citation_number: source.language}
    quotes = "".join(
        f'<li class="ev" id="{of_claim(number)}" tabindex="-1">{_note(number, one, spoken)[4:-5]}</li>'
        for number, one in held
    )
    return (
        f'<section class="source text"><h3>{escape(as_read(source.citation))}</h3>'
        f'<ul class="notes">{quotes}</ul></section>'
    )
