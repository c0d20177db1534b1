"""Render the evidence: pages with the sentences outlined, and excerpts of sources that have no page to show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

from corpus.citations import as_read
from corpus.documents.block import Box
from corpus.evidence.highlight_box import highlight_box
from corpus.synthesis.answer import Source
from server.answer_page import rows
from server.answer_page.answer_html import data_address
from server.answer_page.languages import written
from server.answer_page.promise import Gathered, ShownPage, Told
from server.answer_page.targets import of_claim, of_figure
from server.answer_page.text_evidence import excerpts_html
from server.answer_page.verdicts import SIGNS

Spoken = Mapping[int, str | None]
"""The language of each source by its number."""


def on_pages(pages: Iterable[ShownPage]) -> frozenset[int]:
    """The numbers of the claims that are marked on a page."""
    return frozenset(number for page in pages for number in page.marked)


def evidence_html(made: Gathered) -> str:
    """The pages, excerpts and sources of an answer as HTML."""
    first: set[int] = set()
    spoken = {source.citation_number: source.language for source in made.told.sources}
    pages = [_page(page, number, made.told, first, spoken) for number, page in enumerate(made.pages, 1)]
    cards = _cards(made, on_pages(made.pages))
    left = [f"<li>{escape(place)}: {escape(reason)}</li>" for place, reason in made.left_out]
    words = made.told.words
    missing = (
        f'<div class="left"><h3>{words.pages_not_shown}</h3><ul>{"".join(left)}</ul></div>' if left else ""
    )
    nothing = "" if pages or cards else f"<p>{words.nothing_cited}</p>"
    return "\n".join((*pages, *cards, missing, nothing))


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
    left, top, width, height = highlight_box(box, size)
    return f"left:{left:.2f}%;top:{top:.2f}%;width:{width:.2f}%;height:{height:.2f}%"


def _page(page: ShownPage, number: int, answer: Told, first: set[int], spoken: Spoken) -> str:
    claims, marked = answer.claims, list[str]()
    for claim, boxes in page.marked.items():
        outlines = "".join(
            # A sentence that goes on over a page is told twice and has one address.
            f'<i class="box b{number}-{claim}-{n}"{_address(claim, first)}></i>'
            for n in range(len(boxes))
        )
        verdict = "quoted" if answer.quoted else claims[claim - 1].verdict
        marked.append(f'<span class="ev {verdict}">{outlines}</span>')
    for cited in page.framed:
        frame = f'<i class="box f{number}-{cited}" id="{of_figure(cited)}" tabindex="-1"></i>'
        marked.append(f'<span class="frame">{frame}</span>')
    # What is quoted stands in the answer, and is outlined here.
    numbers = () if answer.quoted else tuple(page.marked)
    notes = "".join(f"<li>{_note(claim, answer, spoken)}</li>" for claim in numbers)
    listed = f'<ul class="notes">{notes}</ul>' if notes else ""
    place = escape(page.place)
    heard = answer.words.page.format(place)
    return (
        f'<figure class="source"><figcaption>{place}</figcaption>'
        f'<div class="sheet"><img src="{data_address(page.picture)}" alt="{heard}">{"".join(marked)}</div>'
        f"{listed}</figure>"
    )


def _address(claim: int, first: set[int]) -> str:
    if claim in first:
        return ""
    first.add(claim)
    return f' id="{of_claim(claim)}" tabindex="-1"'


def _note(number: int, answer: Told, spoken: Spoken) -> str:
    evidence = answer.claims[number - 1].evidence
    quote = escape(rows.read(evidence.text)) if evidence else ""
    language = written(spoken.get(evidence.number)) if evidence else ""
    return f"{_back(number, answer)} <q{language}>{quote}</q>"


def _back(number: int, answer: Told) -> str:
    """The way back to the claim, with its verdict; of what is quoted, the way alone."""
    words, verdict = answer.words, answer.claims[number - 1].verdict
    if answer.quoted:
        label = words.back_to_answer
        return f'<a class="back" href="#at-{number}" aria-label="{label}" title="{label}">↩</a>'
    return (
        f'<a class="back" href="#at-{number}" aria-label="{words.back.format(number)}">'
        f'<span class="badge {verdict}">{SIGNS[verdict]} {number}</span></a> '
        f'<span class="word">{words.verdicts[verdict]}</span>'
    )


def _cards(made: Gathered, placed: Collection[int]) -> list[str]:
    of: Mapping[int, Source] = {source.citation_number: source for source in made.told.sources}
    cards: dict[int, list[int]] = {}
    for number, claim in enumerate(made.told.claims, 1):
        if claim.evidence and number not in placed and claim.evidence.number in of:
            cards.setdefault(claim.evidence.number, []).append(number)
    return [_card(of[number], held, made.told) for number, held in cards.items()]


def _card(source: Source, numbers: Sequence[int], answer: Told) -> str:
    """The lines around the sentences; a sentence alone where its place is not known."""
    spoken = {source.citation_number: source.language}
    # Of a source put together of blocks, offsets are not those of its first one.
    whole = source.citation_number not in answer.parts
    evidence = (
        [
            (number, claim_evidence)
            for number in numbers
            if (claim_evidence := answer.claims[number - 1].evidence)
        ]
        if whole
        else []
    )
    excerpts, lost = excerpts_html(
        source, evidence, written(source.language), lambda number: _back(number, answer)
    )
    alone = lost if whole else numbers
    items = [f"<li>{excerpt}</li>" for excerpt in excerpts]
    items += [
        f'<li class="ev" id="{of_claim(number)}" tabindex="-1">{_note(number, answer, spoken)}</li>'
        for number in alone
    ]
    return (
        f'<section class="source text"><h3>{escape(as_read(source.citation))}</h3>'
        f'<ul class="notes">{"".join(items)}</ul></section>'
    )
