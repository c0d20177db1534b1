"""Render the evidence: pages with the sentences outlined, and excerpts of sources without page images."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from corpus.citations import as_read
from corpus.documents.block import Block, Box
from corpus.documents.line_boxes import highlight_box
from corpus.evidence_boxes import within_content
from corpus.synthesis.answer import Source
from corpus.verification.protocol import Evidence
from server.answer_page import answer_text
from server.answer_page.answer_html import data_address
from server.answer_page.answer_words import SIGNS, written
from server.answer_page.citation_links import of_claim, of_figure
from server.answer_page.page_data import AnswerData, PageData, PageImage

LINES_AROUND = 2
"""Number of lines to show before and after a sentence."""
MAX_AROUND = 400
"""Maximum number of characters to show before and after a sentence: a single line of prose can contain an entire
chapter."""
_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
"""Pattern of the Markdown line below the header row of a table."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """The evidence for a claim, from `start` to `end` in the source's text."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text of a source from `start` to `end`."""

    start: int
    end: int
    sentences: tuple[Sentence, ...]


def excerpts_html(
    source: Source,
    evidence: Sequence[tuple[int, Evidence]],
    language: str,
    back: Callable[[int], str],
) -> tuple[list[str], list[int]]:
    """Return the HTML of each excerpt, and the numbers of the claims whose evidence is not in the source's text.

    `language` is the language of the text, in the form of tag attributes. `back` returns the link back to a claim.
    """
    text, first = _text(source)
    placed, lost = list[Sentence](), list[int]()
    for number, evidence_item in evidence:
        start, end = _place(source, evidence_item)
        if text[start:end].strip():
            placed.append(Sentence(number, start, end))
        else:
            lost.append(number)
    made = [_excerpt(text, evidence_item, first, back) for evidence_item in _merged(text, placed)]
    return [f'<div class="lines"{language}>{evidence_item}</div>' for evidence_item in made], lost


def _text(source: Source) -> tuple[str, int | None]:
    """Return the text and the number of its first line in the file; the number is None if the lines of the text differ
    from those of the file."""
    if source.hit is None:
        return source.text, None
    block = source.hit.block
    return block.content, _first_line(block)


def _first_line(block: Block) -> int | None:
    if block.start_line is None or block.end_line is None:
        return None
    as_many = block.end_line - block.start_line == block.content.count("\n")
    return block.start_line if as_many else None


def _place(source: Source, evidence: Evidence) -> tuple[int, int]:
    if source.hit is None:
        return evidence.start, evidence.end
    return within_content(source.hit.block, evidence.start, evidence.end)


def _merged(text: str, sentences: Sequence[Sentence]) -> list[Excerpt]:
    """Return the excerpts around the sentences. Excerpts that touch or overlap are merged."""
    merged: list[Excerpt] = []
    for sentence in sorted(sentences, key=lambda each: (each.start, each.number)):
        start, end = _bounds(text, sentence.start, sentence.end)
        if merged and start <= merged[-1].end + 1:
            last = merged[-1]
            merged[-1] = Excerpt(last.start, max(last.end, end), (*last.sentences, sentence))
        else:
            merged.append(Excerpt(start, end, (sentence,)))
    return merged


def _bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the sentence together with the complete lines around it. Long lines are cut between
    words."""
    begin, close = text.rfind("\n", 0, start) + 1, _line_end(text, end)
    for _ in range(LINES_AROUND):
        begin = text.rfind("\n", 0, max(begin - 1, 0)) + 1
        close = _line_end(text, close + 1)
    if start - begin > MAX_AROUND:
        begin = text.find(" ", start - MAX_AROUND, start) + 1 or start - MAX_AROUND
    if close - end > MAX_AROUND:
        close = max(text.rfind(" ", end, end + MAX_AROUND), end)
    return begin, close


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _excerpt(text: str, excerpt: Excerpt, first: int | None, back: Callable[[int], str]) -> str:
    """Return the lines of the excerpt, each with its number if known."""
    lines = list(_lines(text, excerpt))
    begun: set[int] = set()
    written = []
    for start, end in lines:
        marks = [one for one in excerpt.sentences if one.start < end and one.end > start]
        new = [one for one in marks if one.number not in begun]
        begun |= {one.number for one in new}
        ways = "".join(back(one.number) for one in new)
        number = "" if first is None else f' data-line="{first + text.count(chr(10), 0, start)}"'
        line = _line(text, start, end, marks, {one.number for one in new})
        written.append(f"<p{number}>{line}{f' {ways}' if ways else ''}</p>")
    if written and excerpt.start and text[excerpt.start - 1] != "\n":
        written[0] = written[0].replace(">", ">… ", 1)
    return "".join(written)


def _lines(text: str, excerpt: Excerpt) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line of the excerpt. Skip empty lines and table rules."""
    start = excerpt.start
    for line in text[excerpt.start : excerpt.end].split("\n"):
        if line.strip() and not _RULE.fullmatch(line.strip()):
            yield start, start + len(line)
        start += len(line) + 1


def _line(text: str, start: int, end: int, marks: Sequence[Sentence], new: set[int]) -> str:
    """Return the HTML of one line. Evidence in a table row marks the entire row. The line contains the anchor of each
    claim whose evidence begins on it."""
    row = answer_text.read(text[start:end])
    whole = [(row, marks[0] if marks else None)]
    pieces = _pieces(text, start, end, marks) if row == text[start:end] else whole
    left = [number.number for number in marks if number.number in new]
    text_html = ""
    for piece, number in pieces:
        if number is None:
            text_html += escape(piece)
        elif number.number in left:
            left.remove(number.number)
            text_html += f'<mark class="ev" id="{of_claim(number.number)}" tabindex="-1">{escape(piece)}</mark>'
        else:
            text_html += f"<mark>{escape(piece)}</mark>"
    return text_html + "".join(f'<span class="ev" id="{of_claim(number)}" tabindex="-1"></span>' for number in left)


def _pieces(text: str, start: int, end: int, marks: Sequence[Sentence]) -> list[tuple[str, Sentence | None]]:
    pieces: list[tuple[str, Sentence | None]] = []
    at = start
    for mark in marks:
        begin, close = max(mark.start, at), min(mark.end, end)
        if begin < close:
            pieces += [(text[at:begin], None), (text[begin:close], mark)]
            at = close
    return [*pieces, (text[at:end], None)]


Spoken = Mapping[int, str | None]
"""Language of each source by its number."""


def on_pages(pages: Iterable[PageImage]) -> frozenset[int]:
    """Return the numbers of the claims that are marked on a page."""
    return frozenset(number for page in pages for number in page.marked)


def evidence_html(made: PageData) -> str:
    """Return the HTML of an answer's page images, excerpts and sources."""
    first: set[int] = set()
    spoken = {source.citation_number: source.language for source in made.answer.sources}
    pages = [_page(page, number, made.answer, first, spoken) for number, page in enumerate(made.pages, 1)]
    cards = _cards(made, on_pages(made.pages))
    left = [f"<li>{escape(place)}: {escape(reason)}</li>" for place, reason in made.left_out]
    words = made.answer.words
    missing = f'<div class="left"><h3>{words.pages_not_shown}</h3><ul>{"".join(left)}</ul></div>' if left else ""
    nothing = "" if pages or cards else f"<p>{words.nothing_cited}</p>"
    return "\n".join((*pages, *cards, missing, nothing))


def box_rules(pages: Iterable[PageImage]) -> str:
    """Return the position of each outline as style rules, because the HTML page does not allow style attributes."""
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


def _page(page: PageImage, number: int, answer: AnswerData, first: set[int], spoken: Spoken) -> str:
    claims, marked = answer.claims, list[str]()
    for claim, boxes in page.marked.items():
        outlines = "".join(
            # A sentence that continues on the next page appears twice, but has only one anchor.
            f'<i class="box b{number}-{claim}-{n}"{_address(claim, first)}></i>'
            for n in range(len(boxes))
        )
        verdict = "quoted" if answer.quoted else claims[claim - 1].verdict
        marked.append(f'<span class="ev {verdict}">{outlines}</span>')
    for cited in page.framed:
        frame = f'<i class="box f{number}-{cited}" id="{of_figure(cited)}" tabindex="-1"></i>'
        marked.append(f'<span class="frame">{frame}</span>')
    # Quoted text that is outlined here is already in the answer.
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


def _note(number: int, answer: AnswerData, spoken: Spoken) -> str:
    evidence = answer.claims[number - 1].evidence
    quote = escape(answer_text.read(evidence.text)) if evidence else ""
    language = written(spoken.get(evidence.number)) if evidence else ""
    return f"{_back(number, answer)} <q{language}>{quote}</q>"


def _back(number: int, answer: AnswerData) -> str:
    """Return the link back to the claim, with its verdict. For quoted text, return only the link."""
    words, verdict = answer.words, answer.claims[number - 1].verdict
    if answer.quoted:
        label = words.back_to_answer
        return f'<a class="back" href="#at-{number}" aria-label="{label}" title="{label}">↩</a>'
    return (
        f'<a class="back" href="#at-{number}" aria-label="{words.back.format(number)}">'
        f'<span class="badge {verdict}">{SIGNS[verdict]} {number}</span></a> '
        f'<span class="word">{words.verdicts[verdict]}</span>'
    )


def _cards(made: PageData, placed: Collection[int]) -> list[str]:
    of: Mapping[int, Source] = {source.citation_number: source for source in made.answer.sources}
    cards: dict[int, list[int]] = {}
    for number, claim in enumerate(made.answer.claims, 1):
        if claim.evidence and number not in placed and claim.evidence.number in of:
            cards.setdefault(claim.evidence.number, []).append(number)
    return [_card(of[number], held, made.answer) for number, held in cards.items()]


def _card(source: Source, numbers: Sequence[int], answer: AnswerData) -> str:
    """Return the lines around the sentences, or only the sentence if its position is unknown."""
    spoken = {source.citation_number: source.language}
    # In a source with several blocks, offsets do not refer to its first block.
    whole = source.citation_number not in answer.parts
    evidence = (
        [(number, claim_evidence) for number in numbers if (claim_evidence := answer.claims[number - 1].evidence)]
        if whole
        else []
    )
    excerpts, lost = excerpts_html(source, evidence, written(source.language), lambda number: _back(number, answer))
    alone = lost if whole else numbers
    items = [f"<li>{excerpt}</li>" for excerpt in excerpts]
    items += [
        f'<li class="ev" id="{of_claim(number)}" tabindex="-1">{_note(number, answer, spoken)}</li>' for number in alone
    ]
    return (
        f'<section class="source text"><h3>{escape(as_read(source.citation))}</h3>'
        f'<ul class="notes">{"".join(items)}</ul></section>'
    )
