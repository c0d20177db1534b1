"""Extractive summaries: choose sentences by their position and centrality in the document. No model is needed.

Centrality is the cosine between a sentence and the sum of all others, over words weighted by inverse sentence frequency
(centroid method, Radev et al., 2004). Sentences similar to a chosen one are skipped (maximal marginal relevance,
Carbonell and Goldstein, 1998). Optionally, a model writes the summaries, and descriptions of figures.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import structlog

from corpus.documents.headings import last_heading, without_heading
from corpus.documents.machine_text import with_description
from corpus.errors import TryLater
from corpus.generation.protocol import Prompt, TextGenerator, fence
from corpus.processes.gather import gather
from corpus.readers.protocol import PageListener, ReadBlock, ReadDocument, Reading, Refuse
from corpus.text.normalization import has_leader
from corpus.text.sentences import sentences as sentences_of

BRIEF, STANDARD, EXCERPTS = 420, 1500, 10_000
"""Maximum lengths in characters of the brief summary, the standard summary, and the excerpts for a model."""
MAX_SENTENCES = 600
"""Maximum number of sentences considered: those of the first blocks, then those at the start of each section. Ranking
time is linear in their number."""
WHOLE_BLOCKS = 60
"""Number of blocks at the start of a document from which all sentences are considered."""

_OPENING = re.compile(
    r"[\d.\s]*(abstract|summary|overview|preface|introduction|zusammenfassung|überblick|vorwort|einleitung)\b",
    re.IGNORECASE,
)
_RUN_IN = re.compile(rf"(?i:{_OPENING.pattern})(?:\s*[:.—–-]+\s*|\s(?=[^\W\d_a-zß-ÿ]))")
"""Heading of an abstract or introduction on the same line as its first sentence, of which it is not a part."""
_ENDING = re.compile(
    r"[\d.\s]*(references|bibliography|index|literatur(verzeichnis)?|anhang|appendix)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3040-\u9fff]{2}")
_ITEM = re.compile(r"\s*(?:[•▪●■◦‣∙·*–-]\s|\(?(?:\d{1,2}|[a-z])[.)]\s|\d{1,2}\s+(?=[^\W\d_a-zß-ÿ]))")
_NOTES = "Notes"
_ENOUGH = 3
"""Minimum number of prose sentences for omitting list items, and of note blocks for treating a speaker's notes as the
main text."""
_NO_START = " :.—–-•▪●■◦‣∙·*"
_LONG = 220
"""Length in characters above which the weight of a sentence decreases in proportion to its length."""
_ALIKE = 0.6
"""Cosine above which a sentence counts as a repeat of another."""

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence. `opens` marks an abstract or introduction, `leads` a block's first sentence, and `aside` a list item
    or a speaker's note."""

    text: str
    opens: bool
    leads: bool
    aside: bool = False


def summaries(read: ReadDocument) -> tuple[str, str]:
    """Return a brief summary (two or three sentences) and a standard one (one or two paragraphs), in document order.
    Both are empty if there is no prose."""
    ranked = _Ranked.of(read)
    brief = ranked.choose(3, BRIEF)
    standard = ranked.choose(12, STANDARD, brief)
    half = (len(standard) + 1) // 2 if len(standard) > 6 else len(standard)
    paragraphs = (standard[:half], standard[half:])
    return ranked.text(brief), "\n\n".join(ranked.text(some) for some in paragraphs if some)


def excerpts(read: ReadDocument) -> str:
    """Return the most central sentences, one per line, as input for a model's summary."""
    ranked = _Ranked.of(read)
    return "\n".join(ranked.sentences[n].text for n in ranked.choose(80, EXCERPTS))


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

    def choose(self, max_count: int, max_length: int, first: Sequence[int] = ()) -> list[int]:
        """Return the positions of the best sentences that are not similar to each other, in document order. There is at
        least one, unless there are no sentences."""
        places = list(first)
        length = sum(len(self.sentences[n].text) + 1 for n in places)
        for n in sorted(range(len(self.sentences)), key=lambda place: -self.scores[place]):
            if len(places) == max_count:
                break
            size = len(self.sentences[n].text) + 1
            if n in places or (places and length + size > max_length):
                continue
            if all(_cosine(self.vectors[n], self.vectors[other]) < _ALIKE for other in places):
                places.append(n)
                length += size
        return sorted(places)


def _prose_first(sentences: list[Sentence]) -> list[Sentence]:
    """Drop list items and notes if enough prose is left."""
    prose = [sentence for sentence in sentences if not sentence.aside]
    return prose if len(prose) >= _ENOUGH else sentences


def _from_opening(sentences: list[Sentence]) -> list[Sentence]:
    """Drop the text before an abstract or introduction, such as title pages and notices."""
    first = next((place for place, sentence in enumerate(sentences) if sentence.opens), 0)
    return sentences[first:]


def _sentences(read: ReadDocument) -> Iterator[Sentence]:
    """Yield the document's prose, each sentence once."""
    seen: set[str] = set()
    opening, heading = False, object()
    few_notes = sum(1 for block in read.blocks if _is_note(block)) < _ENOUGH
    for n, block in enumerate(block_ for block_ in read.blocks if block_.block_type == "text"):
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
        if len(seen) >= MAX_SENTENCES:
            return


def _is_note(block: ReadBlock) -> bool:
    return block.page_number is not None and last_heading(block.heading) == _NOTES


def _opens(block: ReadBlock, title: str) -> bool:
    return bool(_OPENING.match(title) or _RUN_IN.match(block.content)) and not has_leader(block.content)


def _prose(block: ReadBlock, language: str) -> Iterator[tuple[str, bool]]:
    """Yield complete sentences verbatim, and whether each is a list item.

    A line break ends a sentence, because a heading is not part of the sentence below it.
    """
    for line in without_heading(block.content, block.heading).split("\n"):
        for start, end in sentences_of(line, language):
            text = _without_run_in(" ".join(line[start:end].split())).lstrip(_NO_START)
            if _is_prose(text):
                yield text, bool(_ITEM.match(line))


def _without_run_in(text: str) -> str:
    heading = _RUN_IN.match(text)
    return text[heading.end() :] if heading else text


def _is_prose(text: str) -> bool:
    """Return whether a sentence is complete prose: 40 to 600 characters, mostly letters, without a dot leader or
    address."""
    letter_count = sum(character.isalpha() for character in text)
    whole = 40 <= len(text) <= 600 and text[-1] in '.!?。！？»”"' and not text[0].islower()
    return whole and letter_count > 0.6 * len(text) and not has_leader(text) and "://" not in text


def _vectors(sentences: Sequence[Sentence]) -> list[Vector]:
    words = [Counter(_WORD.findall(sentence.text.casefold())) for sentence in sentences]
    frequencies = Counter(word for counts in words for word in counts)
    weights = {word: math.log((1 + len(sentences)) / count) for word, count in frequencies.items()}
    return [_unit({word: (1 + math.log(n)) * weights[word] for word, n in counts.items()}) for counts in words]


def _scores(sentences: Sequence[Sentence], vectors: Sequence[Vector], title: str) -> list[float]:
    whole: Counter[str] = Counter()
    for vector in vectors:
        whole.update(vector)
    squares = sum(value * value for value in whole.values())
    central = [_central(vector, whole, squares) for vector in vectors]
    max_count = max(central, default=0.0) or 1.0
    title_words = set(_WORD.findall(title.casefold()))
    return [
        similar / max_count * _weight(sentence, place) + 0.3 * _share(title_words, sentence.text)
        for place, (sentence, similar) in enumerate(zip(sentences, central, strict=True))
    ]


def _central(vector: Vector, whole: Vector, squares: float) -> float:
    """Return the cosine between a sentence and the sum of all others."""
    own = sum(value * value for value in vector.values())
    shared = sum(value * whole[word] for word, value in vector.items())
    others = squares - 2 * shared + own
    return (shared - own) / math.sqrt(others) if others > 1e-9 else 0.0


def _weight(sentence: Sentence, place: int) -> float:
    """Weight a sentence by position and length. The factors were chosen by hand; tests/ingestion/test_summaries.py
    shows the purpose of each."""
    early = 0.6 + 0.4 * math.exp(-place / 30)
    short = min(1.0, _LONG / len(sentence.text))
    return (
        early
        * short
        * (2.0 if sentence.opens else 1.0)
        * (1.3 if sentence.leads else 1.0)
        * (0.2 if sentence.aside else 1.0)
    )


def _share(title_words: set[str], text: str) -> float:
    return len(title_words & set(_WORD.findall(text.casefold()))) / len(title_words) if title_words else 0.0


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
    return {word: value / length for word, value in vector.items()}


def _cosine(vector: Vector, other: Vector) -> float:
    small, large = sorted((vector, other), key=len)
    return sum(value * large.get(word, 0.0) for word, value in small.items())


log = structlog.get_logger()


MAX_DESCRIPTION = 1_500
"""Maximum length of a description in characters: the usual length of a block."""
FAILURES_IN_A_ROW = 3
"""Number of consecutive failures after which the document's other figures are skipped."""


class FigureDescriptions:
    """Describes the figures of one document. `done` counts the figures described so far."""

    def __init__(self, generator: TextGenerator, system: str) -> None:
        self._generator, self._system = generator, system
        self._failed = 0
        self.done = 0

    async def describe(self, block: ReadBlock) -> ReadBlock:
        """Return the block with a description, or unchanged if the model does not return one. Raises NotConfigured."""
        if self._failed >= FAILURES_IN_A_ROW or block.picture is None:
            return block
        around = "\n".join(part for part in (block.heading, block.image_caption, block.content) if part)
        try:
            answer = await self._generator.generate(
                Prompt(fence(around[:2_000]), self._system, (block.picture,), max_tokens=400)
            )
        except TryLater as error:
            self._failed += 1
            log.warning("ingest.no_description", place=block.place, reason=error.type)
            return block
        self._failed, self.done = 0, self.done + 1
        text = answer.text[:MAX_DESCRIPTION]
        return replace(block, content=with_description(block.content, text, self._generator.id))


AT_ONCE = 4
"""Number of concurrent requests, low enough for the rate limits of small accounts."""
MAX_FIGURES = 300
"""Maximum number of figures described in one document, which limits the cost."""


PromptIn = Callable[[str], str]
"""Function that returns a prompt in the language with the given ISO 639-1 code."""

_PARTS = re.compile(r"\W*+BRIEF[^\w:]{0,20}:\W*+(.+?)\s\W{0,20}STANDARD[^\w:]{0,20}:\W*+(.+)", re.DOTALL)
"""Format of the response that the summary prompt requests."""


@dataclass(frozen=True, slots=True)
class ModelAdditions:
    """Prompts for the summaries and descriptions that a model adds to a document. A prompt is None if its addition was
    not requested."""

    generator: TextGenerator
    figure_prompt: PromptIn | None = None
    summary_prompt: PromptIn | None = None

    @property
    def mark(self) -> str:
        """Suffix for the reader's version, so that documents are read again when the additions change."""
        additions = [name for name in ("figures", "summary") if getattr(self, f"{name.removesuffix('s')}_prompt")]
        return f"+{'+'.join(additions)}:{self.generator.id}" if additions else ""

    async def add_to(self, read: ReadDocument) -> ReadDocument:
        """Return the document with all requested additions. Raises NotConfigured."""
        return await self.summarise(await self.describe(read))

    async def describe(self, read: ReadDocument) -> ReadDocument:
        """Return the document with a description in each figure's content. Raises NotConfigured."""
        if self.figure_prompt is None:
            return read
        system = self.figure_prompt(read.language or "en")
        describing = FigureDescriptions(self.generator, system)
        figures = [n for n, block in enumerate(read.blocks) if block.picture][:MAX_FIGURES]
        blocks = list(read.blocks)

        async def describe(n: int) -> None:
            blocks[n] = await describing.describe(blocks[n])

        await gather([partial(describe, n) for n in figures], at_once=AT_ONCE)
        without = sum(1 for block in read.blocks if block.picture) - describing.done
        figures_have = "1 figure has" if without == 1 else f"{without} figures have"
        warning = f"{figures_have} no description: {self.generator.id} did not give one."
        read = replace(read, blocks=tuple(blocks))
        return _with_warning(read, warning) if without else read

    async def summarise(self, read: ReadDocument) -> ReadDocument:
        """Return the document with both summaries and a warning that names the model that wrote them. Raises
        NotConfigured."""
        excerpt = excerpts(read) if self.summary_prompt else ""
        if self.summary_prompt is None or not excerpt:
            return read
        prompt = Prompt(
            fence(f"{read.title or ''}\n\n{excerpt}".strip()),
            self.summary_prompt(read.language or "en"),
            max_tokens=700,
        )
        parts = await self._parts(prompt)
        if parts is None:
            return _with_warning(read, f"The summary is extracted from the document: {self.generator.id} gave none.")
        return replace(_with_warning(read, f"The summary was written by {self.generator.id}."), summaries=parts)

    async def _parts(self, prompt: Prompt) -> tuple[str, str] | None:
        try:
            answer = await self.generator.generate(prompt)
        except TryLater as error:
            log.warning("ingest.no_summary", reason=error.type)
            return None
        parts = _PARTS.fullmatch(answer.text.strip())
        return (parts[1].strip(), parts[2].strip()) if parts and not answer.cut else None


@dataclass(frozen=True, slots=True)
class ModelReading:
    """A reader that applies the model's additions to another reader's documents. With `awaits_pictures`, a document
    with pending pictures is returned unchanged, because it will be read again and nothing should be described twice."""

    reading: Reading
    by_model: ModelAdditions
    awaits_pictures: bool = False

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """See `Reading.read`. Raises UnreadableDocument, or NotConfigured if the model is misconfigured."""
        read = await self.reading.read(path, listener, refuse)
        return read if self.awaits_pictures and read.pending else await self.by_model.add_to(read)


def _with_warning(read: ReadDocument, warning: str) -> ReadDocument:
    return replace(read, warnings=(*read.warnings, warning))
