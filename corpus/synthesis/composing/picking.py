"""Which sources an answer cites: the best pages, each with the passage that speaks to the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.index.local.analysis import terms
from corpus.synthesis.answer import Source
from corpus.synthesis.composing.named import named
from corpus.synthesis.composing.neighbours import Lists
from corpus.synthesis.composing.passage import Passage, Room, passage
from corpus.synthesis.composing.question import Asked, letters_of
from corpus.synthesis.composing.reading import Reading
from corpus.synthesis.composing.repeats import Said
from corpus.synthesis.composing.scoring import Scored
from corpus.text import token_estimate

MOST_PAGES = 5
"""Distinct pages of an answer from a search; blocks that the client names are all taken."""
MOST_PIECES = 10
A_PAGE = 2
LEAST_PAGES = 3
WEAK = 0.8
"""Share of the best value below which a source is left out, beyond the first pages."""
FLOOR = 0.5
"""The same for its best sentence, on whatever page: what does not speak to the question is no part of the answer."""
TELLING = 0.4
"""Score of a sentence below which it may share words with the question by chance, as across languages."""
BY_RETRIEVAL = 0.7
"""What the score of the search counts for a source's value, against its best sentence."""
OTHER_LANGUAGE = 0.97
LEAST_HEADING, ASKED_FOR = 8, 1.15
"""Letters of a heading that stands in the question word by word, and what the text below it gains by that."""
FRONT_MATTER = 0.75
"""What a text about the document counts, as a preface, unless the document itself is asked about."""
FAR = 0.5
"""Share of the best score of the search below which a further source is no part of the answer: scores are absolute, and
one half as likely to answer seldom does."""
FAR_ELSEWHERE = 0.9
"""The same in another document than that of the best source, unless documents are compared. Chosen on the set `mixed`:
.5 gives .58 of answers without junk, .8 gives .61 and .9 to .95 .64, at the same share of right ones."""
NOT_NAMED = 0.1
"""What a source loses that lies in another document than the question names."""
ROOMS = (700, 420, 420, 300, 300)
"""Letters of the first pieces, best first; further ones get as much as the last."""
LONGEST_LIST, FURTHER_LIST = 2000, 900
"""Letters of a list that is quoted whole, in the first piece and in the others; of a longer one the items around."""
A_GLANCE, MOST_NEAREST = 240, 2
"""Letters of what only comes nearest to the question, and how many of those are shown."""
A_CITATION = 30
_SOURCES_OF_OTHERS = re.compile(
    r"\b(?:references|bibliography|literature|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|index|stichwortverzeichnis"
    r"|table\s+of\s+contents|contents|inhalt(?:sverzeichnis)?)$",
    re.IGNORECASE,
)
_FRONT_MATTER = re.compile(
    r"^(?:[\dIVXivx.]+\s+)?(?:preface|foreword|acknowledge?ments?|copyright|legal notice|(?:revision|document) history"
    r"|changes in this (?:revision|edition|version)|about this (?:manual|guide|document|book|report|handbook)"
    r"|vorwort|geleitwort|danksagung|impressum|änderungs(?:verzeichnis|historie)"
    r"|(?:über|zu) diese[rsm]? (?:handbuch|anleitung|dokument|buch|bericht))$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Valued:
    """A source with its value, 0..1, for the order of the answer."""

    scored: Scored
    value: float


@dataclass(frozen=True, slots=True)
class Picked:
    """Passages, best first, with their values; `left_out` counts sources that were good enough and did not fit."""

    passages: tuple[tuple[Passage, float], ...]
    left_out: int


def valued(found: Sequence[Scored], asked: Asked) -> tuple[Valued, ...]:
    """Best first. Where no source has a score of a search, in the order given."""
    best = max(TELLING, *(one.best for one in found), 0.0)
    top = max((_score(one) for one in found), default=0.0)
    if not top:
        return tuple(Valued(one, 1.0 - n / 1000) for n, one in enumerate(found))
    hits = [one.reading.source.hit for one in found]
    meant = named((hit.document for hit in hits if hit), asked)
    values = [Valued(one, _value(one, asked, top, best) * _meant(one, meant)) for one in found]
    return _in_reading_order(sorted(values, key=lambda one: -one.value))


def _in_reading_order(ranked: Sequence[Valued]) -> tuple[Valued, ...]:
    """What stands below headings that say all that is asked is told from its beginning, in the places that it has:
    no words of the question are left to tell which of it is better."""
    below: dict[str, list[int]] = {}
    for n, one in enumerate(ranked):
        hit = one.scored.reading.source.hit
        if hit and one.scored.is_asked_for and not one.scored.reading.is_figure:
            below.setdefault(hit.document.doc_id, []).append(n)
    told = list(ranked)
    for places in below.values():
        good = [n for n in places if ranked[n].value >= WEAK * ranked[places[0]].value]
        in_order = sorted(good, key=lambda n: _place(ranked[n].scored.reading))
        for n, other in zip(good, in_order, strict=True):
            told[n] = Valued(ranked[other].scored, ranked[n].value)
    return tuple(told)


def _place(reading: Reading) -> tuple[int, int]:
    block = reading.source.hit.block if reading.source.hit else None
    return (block.page_number or 0, block.start_line or 0) if block else (0, 0)


def picked(ranked: Sequence[Valued], asked: Asked, max_tokens: int) -> Picked:
    """Of the texts among them."""
    return _Picking(ranked, asked, max_tokens).run()


def nearest(ranked: Sequence[Valued]) -> tuple[tuple[Passage, float], ...]:
    """A few lines of the best texts, whether or not they answer."""
    found: list[tuple[Passage, float]] = []
    said = Said()
    for one in ranked:
        near = passage(one.scored, Room(A_GLANCE, Lists(A_GLANCE)), said, fill=False)
        if near and len(found) < MOST_NEAREST:
            found.append((near, one.value))
            for n in near.units:
                said.add(near.reading.units[n].text)
    return tuple(found)


def page_of(source: Source) -> tuple[str, object]:
    """What counts as one page: without pages, a block for itself."""
    if not source.hit:
        return "", source.citation_number
    block = source.hit.block
    return block.doc_id, block.block_id if block.page_number is None else block.page_number


def _score(scored: Scored) -> float:
    hit = scored.reading.source.hit
    return hit.score if hit and hit.score_kind != "none" else 0.0


def _value(scored: Scored, asked: Asked, top: float, best: float) -> float:
    reading = scored.reading
    searched = _score(scored) / top if reading.source.hit else _handed_in(scored)
    if reading.is_figure:
        return searched * BY_RETRIEVAL + (1 - BY_RETRIEVAL) / 2
    value = BY_RETRIEVAL * searched + (1 - BY_RETRIEVAL) * scored.best / best
    if reading.is_ragged or reading.is_list_of_works or _SOURCES_OF_OTHERS.search(reading.heading):
        value *= 0.5
    if reading.is_bare and not reading.has_values:
        value *= 0.7
    if _is_front_matter(reading, asked):
        value *= FRONT_MATTER
    if _is_asked_for(scored, asked):
        value *= ASKED_FOR
    return value * OTHER_LANGUAGE if is_foreign(scored, asked) else value


def _is_asked_for(scored: Scored, asked: Asked) -> bool:
    """Whether the headings above it say all that is asked, or the last stands in the question word by word."""
    heading = letters_of(scored.reading.heading)
    return scored.is_asked_for or (len(heading) >= LEAST_HEADING and heading in asked.letters)


def _is_front_matter(reading: Reading, asked: Asked) -> bool:
    return bool(_FRONT_MATTER.search(reading.heading)) and not asked.of_document


def is_foreign(scored: Scored, asked: Asked) -> bool:
    """Whether it is known to be in another language than the question."""
    language = (scored.reading.source.language or "").split("-")[0]
    return bool(asked.language and language and language != asked.language)


def _handed_in(scored: Scored) -> float:
    """What the client hands in was chosen by it: it counts as the best hit, as far as it speaks to the question."""
    return 1.0 if scored.best >= TELLING else 0.7


def _meant(scored: Scored, meant: dict[str, float]) -> float:
    hit = scored.reading.source.hit
    return 1 - NOT_NAMED + NOT_NAMED * meant[hit.document.doc_id] if hit else 1.0


class _Picking:
    def __init__(self, ranked: Sequence[Valued], asked: Asked, max_tokens: int) -> None:
        self._ranked = [one for one in ranked if one.scored.reading.units]
        self._asked, self._left = asked, max_tokens
        best = max((one.scored.best for one in self._ranked), default=0.0)
        self._floor = FLOOR * best if best >= TELLING else 0.0
        self._searched = any(_score(one.scored) for one in self._ranked)
        self._speaks = any(one.scored.speaks for one in self._ranked)
        self._documents = {_document(one) for one in self._ranked}
        self._pages: dict[tuple[str, object], int] = {}
        self._said: dict[str, Said] = {}
        self._passages: list[tuple[Passage, float]] = []

    def run(self) -> Picked:
        left_out = sum(not self._taken(one) for one in self._in_turn() if self._is_good(one))
        if not self._passages:
            left_out = sum(
                not self._taken(one, fragments=True) for one in self._in_turn() if self._is_good(one)
            )
        return Picked(tuple(self._passages), left_out)

    def _in_turn(self) -> Iterator[Valued]:
        """Best first; for a comparison the best of each document before the second of any, where headings say what is
        compared the one below them."""
        if self._asked.shape != "comparison":
            yield from self._ranked
            return
        by_heading = sorted(self._ranked, key=lambda one: not one.scored.is_asked_for)
        firsts = list({_document(one): one for one in reversed(by_heading)}.values())
        firsts.sort(key=self._ranked.index)
        yield from firsts
        yield from (one for one in self._ranked if one not in firsts)

    def _is_good(self, one: Valued) -> bool:
        if not self._searched or not self._passages:
            return True
        first = self._passages[0][0].reading
        best = self._ranked[0]
        same = _document(one) == _document(best) or self._asked.shape == "comparison"
        is_far = _score(one.scored) < (FAR if same else FAR_ELSEWHERE) * _score(best.scored)
        if is_far or self._lacks_name(one, first):
            return False
        return self._speaks_enough(one)

    def _speaks_enough(self, one: Valued) -> bool:
        speaks = one.scored.best >= self._floor or one.scored.is_asked_for
        if self._speaks and not one.scored.speaks and not is_foreign(one.scored, self._asked):
            return False
        if not speaks or one.scored.reading.is_list_of_works:
            return False
        first = self._ranked[0]
        # Words do not tell across languages: there the search alone speaks.
        if is_foreign(first.scored, self._asked):
            return _score(one.scored) >= WEAK * _score(first.scored)
        if one.value >= WEAK * min(1.0, first.value):
            return True
        return not _is_front_matter(one.scored.reading, self._asked) and self._has_few_pages(one)

    def _lacks_name(self, one: Valued, first: Reading) -> bool:
        """Whether the question gives a thing by a name with digits, which the first source has and this one lacks: what
        it says is of another thing."""
        if self._asked.shape == "comparison":
            return False
        names = [word for word in self._asked.words if any(map(str.isdigit, word))]
        own, of_first = (_words_of(reading) for reading in (one.scored.reading, first))
        return any(name in of_first and name not in own for name in names)

    def _has_few_pages(self, one: Valued) -> bool:
        """Of a comparison, which is told apart by document, those of the document count."""
        if self._asked.shape != "comparison" or len(self._documents) < 2:
            return len(self._pages) < LEAST_PAGES
        of_document = sum(document == _document(one) for document, _ in self._pages)
        return of_document < (A_PAGE if one.scored.is_asked_for else 1)

    def _taken(self, one: Valued, *, fragments: bool = False) -> bool:
        """Whether it was taken, or says nothing that was not said."""
        page = page_of(one.scored.reading.source)
        if not self._has_place(page):
            return False
        said = self._said.setdefault(_document(one) if self._asked.shape == "comparison" else "", Said())
        first = not self._passages
        lists = Lists(self._list_room(first=first), self._asked.shape == "list", self._asked.wants_steps)
        room = Room(self._room(), lists)
        # Where no line of the best source has a full stop, as in a data sheet, none lacks one.
        lines = first and one.scored.reading.is_bare and one.scored.reading.has_values
        found = passage(one.scored, room, said, fill=first, fragments=fragments or lines)
        if found is None:
            return True
        cost = token_estimate(found.text) + A_CITATION
        if not first and cost > self._left:
            return False
        self._left -= cost
        self._pages[page] = self._pages.get(page, 0) + 1
        self._passages.append((found, one.value))
        for n in found.units:
            said.add(found.reading.units[n].text)
        return True

    def _has_place(self, page: tuple[str, object]) -> bool:
        if len(self._passages) >= MOST_PIECES:
            return False
        if not self._searched:
            return True
        return self._pages[page] < A_PAGE if page in self._pages else len(self._pages) < MOST_PAGES

    def _room(self) -> int:
        room = ROOMS[min(len(self._passages), len(ROOMS) - 1)]
        return max(60, min(room, self._letters()))

    def _list_room(self, *, first: bool) -> int:
        """For a list that answers: one is kept whole as long as the answer has room for it."""
        return max(60, min(LONGEST_LIST if first else FURTHER_LIST, self._letters()))

    def _letters(self) -> int:
        return (self._left - A_CITATION) * 3


def _words_of(reading: Reading) -> frozenset[str]:
    return frozenset(terms(f"{reading.name}\n{reading.path}\n{reading.source.text}", None))


def _document(one: Valued) -> str:
    hit = one.scored.reading.source.hit
    return hit.block.doc_id if hit else ""
