"""Two summaries of a document in its own sentences, chosen without a model: by where a sentence stands, and by how much
it says of what the document as a whole speaks of.

Centrality is the cosine between a sentence and the sum of all, over words weighted by how few sentences have them
(the centroid method of Radev et al., 2004); what repeats a chosen sentence is passed over (maximal marginal relevance,
Carbonell and Goldstein, 1998).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus.citing.sentences import sentences as sentences_of
from corpus.headings import last_heading, without_heading
from corpus.readers.protocol import ReadBlock, ReadDocument
from corpus.text import has_leader

BRIEF, STANDARD, EXCERPTS = 420, 1500, 10_000
"""Letters, at most."""
MOST_SENTENCES = 600
"""Of a long document: those of its first blocks, then the beginning of each section."""
WHOLE_BLOCKS = 60

_OPENING = re.compile(
    r"[\d.\s]*(abstract|summary|overview|preface|introduction|zusammenfassung|überblick|vorwort|einleitung)\b",
    re.IGNORECASE,
)
_RUN_IN = re.compile(rf"(?i:{_OPENING.pattern})(?:\s*[:.—–-]+\s*|\s(?=[^\W\d_a-zß-ÿ]))")
"""Such a heading on the line of its first sentence, of which it is no part."""
_ENDING = re.compile(
    r"[\d.\s]*(references|bibliography|index|literatur(verzeichnis)?|anhang|appendix)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3040-\u9fff]{2}")
_ITEM = re.compile(r"\s*(?:[•▪●■◦‣∙·*–-]\s|\(?(?:\d{1,2}|[a-z])[.)]\s|\d{1,2}\s+(?=[^\W\d_a-zß-ÿ]))")
_NOTES = "Notes"
_ENOUGH = 3
"""Sentences from which on prose needs no list items, and a speaker's notes are a text."""
_NO_START = " :.—–-•▪●■◦‣∙·*"
_LONG = 220
"""Letters of a sentence from which on a shorter one is better."""
_ALIKE = 0.6
"""Cosine from which on a sentence says nothing new."""

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Sentence:
    """`opens` tells that it stands in an abstract or introduction, `leads` that it begins a block, and `aside` that it
    is an item of a list or a speaker's note."""

    text: str
    opens: bool
    leads: bool
    aside: bool = False


def summaries(read: ReadDocument) -> tuple[str, str]:
    """Two or three sentences, and one or two paragraphs, in the document's order. Empty where there is no prose."""
    ranked = _Ranked.of(read)
    brief = ranked.chosen(3, BRIEF)
    standard = ranked.chosen(12, STANDARD, brief)
    half = (len(standard) + 1) // 2 if len(standard) > 6 else len(standard)
    paragraphs = (standard[:half], standard[half:])
    return ranked.text(brief), "\n\n".join(ranked.text(some) for some in paragraphs if some)


def excerpts(read: ReadDocument) -> str:
    """The sentences that say most of the document, one a line, for somebody else who summarises it."""
    ranked = _Ranked.of(read)
    return "\n".join(ranked.sentences[n].text for n in ranked.chosen(80, EXCERPTS))


@dataclass(frozen=True, slots=True)
class _Ranked:
    sentences: Sequence[Sentence]
    vectors: Sequence[Vector]
    scores: Sequence[float]

    @classmethod
    def of(cls, read: ReadDocument) -> _Ranked:
        sentences = _from_opening(_prose_first(list(_sentences(read))))
        vectors = _vectors(sentences)
        return cls(sentences, vectors, _scores(sentences, vectors, read.title or ""))

    def text(self, places: Sequence[int]) -> str:
        return " ".join(self.sentences[n].text for n in places)

    def chosen(self, most: int, letters: int, first: Sequence[int] = ()) -> list[int]:
        """Places of the best sentences that say different things, in the document's order; at least one if there is
        one."""
        taken = list(first)
        length = sum(len(self.sentences[n].text) + 1 for n in taken)
        for n in sorted(range(len(self.sentences)), key=lambda place: -self.scores[place]):
            if len(taken) == most:
                break
            size = len(self.sentences[n].text) + 1
            if n in taken or (taken and length + size > letters):
                continue
            if all(_cosine(self.vectors[n], self.vectors[other]) < _ALIKE for other in taken):
                taken.append(n)
                length += size
        return sorted(taken)


def _prose_first(sentences: list[Sentence]) -> list[Sentence]:
    """Without list items and notes where there is prose enough."""
    prose = [one for one in sentences if not one.aside]
    return prose if len(prose) >= _ENOUGH else sentences


def _from_opening(sentences: list[Sentence]) -> list[Sentence]:
    """Without what stands above an abstract or introduction: title pages, notices."""
    first = next((place for place, one in enumerate(sentences) if one.opens), 0)
    return sentences[first:]


def _sentences(read: ReadDocument) -> Iterator[Sentence]:
    """Prose of the document, each sentence once."""
    seen: set[str] = set()
    opening, heading = False, object()
    few_notes = sum(1 for block in read.blocks if _is_note(block)) < _ENOUGH
    for n, block in enumerate(one for one in read.blocks if one.block_type == "text"):
        first_of_section, heading = block.heading != heading, block.heading
        title = last_heading(block.heading)
        if _ENDING.match(title) or (few_notes and _is_note(block)):
            continue
        opening = _opens(block, title) or (opening and not first_of_section)
        foreign = read.language and block.language not in (None, read.language)
        if foreign or (n >= WHOLE_BLOCKS and not first_of_section):
            continue
        for place, (text, is_item) in enumerate(_prose(block, read.language or "en")):
            if place >= 2 and n >= WHOLE_BLOCKS:
                break
            if text not in seen:
                seen.add(text)
                yield Sentence(text, opening, place == 0, aside=is_item or _is_note(block))
        if len(seen) >= MOST_SENTENCES:
            return


def _is_note(block: ReadBlock) -> bool:
    return block.page_number is not None and last_heading(block.heading) == _NOTES


def _opens(block: ReadBlock, title: str) -> bool:
    return bool(_OPENING.match(title) or _RUN_IN.match(block.content)) and not has_leader(block.content)


def _prose(block: ReadBlock, language: str) -> Iterator[tuple[str, bool]]:
    """Whole sentences, letter by letter, and whether each is an item of a list.

    A line that ends early ends what stands in it: a heading is no part of the sentence below.
    """
    for line in without_heading(block.content, block.heading).split("\n"):
        for start, end in sentences_of(line, language):
            text = _without_run_in(" ".join(line[start:end].split())).lstrip(_NO_START)
            if _is_prose(text):
                yield text, bool(_ITEM.match(line))


def _without_run_in(text: str) -> str:
    found = _RUN_IN.match(text)
    return text[found.end() :] if found else text


def _is_prose(text: str) -> bool:
    letters = sum(letter.isalpha() for letter in text)
    whole = 40 <= len(text) <= 600 and text[-1] in '.!?。！？»”"' and not text[0].islower()
    return whole and letters > 0.6 * len(text) and not has_leader(text) and "://" not in text


def _vectors(sentences: Sequence[Sentence]) -> list[Vector]:
    words = [Counter(_WORD.findall(one.text.casefold())) for one in sentences]
    held = Counter(word for counted in words for word in counted)
    weights = {word: math.log((1 + len(sentences)) / count) for word, count in held.items()}
    return [
        _unit({word: (1 + math.log(n)) * weights[word] for word, n in counted.items()}) for counted in words
    ]


def _scores(sentences: Sequence[Sentence], vectors: Sequence[Vector], title: str) -> list[float]:
    whole: Counter[str] = Counter()
    for vector in vectors:
        whole.update(vector)
    squares = sum(value * value for value in whole.values())
    central = [_central(vector, whole, squares) for vector in vectors]
    most = max(central, default=0.0) or 1.0
    named = set(_WORD.findall(title.casefold()))
    return [
        similar / most * _standing(one, place) + 0.3 * _share(named, one.text)
        for place, (one, similar) in enumerate(zip(sentences, central, strict=True))
    ]


def _central(vector: Vector, whole: Vector, squares: float) -> float:
    """How near it is to all others together: the cosine with their sum."""
    own = sum(value * value for value in vector.values())
    shared = sum(value * whole[word] for word, value in vector.items())
    others = squares - 2 * shared + own
    return (shared - own) / math.sqrt(others) if others > 1e-9 else 0.0


def _standing(one: Sentence, place: int) -> float:
    """What its place and its length make of a sentence's weight."""
    early = 0.6 + 0.4 * math.exp(-place / 30)
    short = min(1.0, _LONG / len(one.text))
    return (
        early
        * short
        * (2.0 if one.opens else 1.0)
        * (1.3 if one.leads else 1.0)
        * (0.2 if one.aside else 1.0)
    )


def _share(named: set[str], text: str) -> float:
    return len(named & set(_WORD.findall(text.casefold()))) / len(named) if named else 0.0


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
    return {word: value / length for word, value in vector.items()}


def _cosine(one: Vector, other: Vector) -> float:
    small, large = sorted((one, other), key=len)
    return sum(value * large.get(word, 0.0) for word, value in small.items())
