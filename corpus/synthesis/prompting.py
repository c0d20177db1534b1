"""Build the prompt for a model: the question, then earlier turns and source excerpts, fenced as data.

The prompt must be deterministic: if the client's model writes, every round of a call rebuilds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from corpus.generation.protocol import Prompt
from corpus.synthesis.answer import Source
from corpus.synthesis.evidence import Evidence
from corpus.synthesis.extractive import table
from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.request import SynthesisRequest, Turn
from corpus.text.markdown import address
from corpus.text.normalization import clean

if TYPE_CHECKING:
    from corpus.synthesis.compose import Material


GAP = "…"


def excerpts_within(
    material: Material, frames: Sequence[int], room: int, count: Callable[[str], int]
) -> dict[int, str]:
    """Return excerpts, keyed by the index of their reading.

    Candidates are added best first, skipping equal texts. Each is added with its neighbours in the paragraph and the
    title above, as long as they fit into `room` tokens. `count` returns the number of tokens in a text. `frames`
    contains, for each source, the number of tokens that the prompt adds around its text.
    """
    return _Cutting(material.readings, frames, room, count).cut(material.candidates)


class _Cutting:
    def __init__(
        self,
        readings: Sequence[Reading],
        frames: Sequence[int],
        room: int,
        count: Callable[[str], int],
    ) -> None:
        self._readings, self._frames, self._room, self._count = readings, frames, room, count
        self._units: dict[int, set[int]] = {}
        self._rows: dict[tuple[int, int], set[int]] = {}
        self._texts: set[str] = set()

    def cut(self, candidates: Sequence[Candidate]) -> dict[int, str]:
        for each in candidates:
            if each.text in self._texts:
                continue
            self._texts.add(each.text)
            if each.row is not None:
                self._take_row(each)
            elif not self._take(each, self._around(each)):
                self._take(each, {each.unit})
        return {n: self._written(n) for n in self._units}

    def _around(self, each: Candidate) -> set[int]:
        units = self._readings[each.reading].units
        near = {each.unit}
        for n in (each.unit - 1, each.unit + 1):
            if 0 <= n < len(units) and units[n].part == units[each.unit].part:
                near.add(n)
        first = min(near)
        if first and units[first - 1].kind == "title":
            near.add(first - 1)
        return near

    def _take(self, each: Candidate, wanted: set[int]) -> bool:
        units = self._readings[each.reading].units
        more = wanted - self._units.get(each.reading, set())
        return self._fits(each, sum(self._count(units[n].text) + 1 for n in more), more)

    def _take_row(self, each: Candidate) -> None:
        grid = self._readings[each.reading].table(each.unit)
        if grid is None or each.row is None:
            return
        rows = self._rows.get((each.reading, each.unit), set())
        lines = [] if rows else list(grid.head)
        cost = self._count(" | ".join([*lines, *grid.rows[each.row]])) + 4
        if each.row not in rows and self._fits(each, cost, {each.unit}):
            self._rows.setdefault((each.reading, each.unit), set()).add(each.row)

    def _fits(self, each: Candidate, cost: int, units: set[int]) -> bool:
        cost += 0 if each.reading in self._units else self._frames[each.reading]
        if cost > self._room:
            return False
        self._room -= cost
        self._units.setdefault(each.reading, set()).update(units)
        return True

    def _written(self, n: int) -> str:
        reading = self._readings[n]
        lines: list[str] = []
        last = -1
        for at in sorted(self._units[n]):
            unit = reading.units[at]
            grid = reading.table(at)
            text = table.write_table(grid, sorted(self._rows.get((n, at), ()))) if grid else unit.text
            gap = f"{GAP} " if at != last + 1 else ""
            same = lines and at == last + 1 and reading.units[last].part == unit.part
            if same:
                lines[-1] += f" {text}"
            else:
                lines.append(gap + (f"{unit.mark} {text}" if unit.kind == "item" else text))
            last = at
        return "\n".join(lines) + (f" {GAP}" if last != len(reading.units) - 1 else "")


TokenCounter = Callable[[str], int]

MAX_TOKENS = 2000
"""Maximum number of tokens in the entire prompt, and the default of RAG_LLM_CONTEXT_TOKENS."""
_MARGIN = 50
"""Number of tokens by which a model's own count may exceed that of the packaged tokenizer."""
MAX_HISTORY = 300
"""Maximum number of tokens of earlier turns. The oldest turns are dropped first."""
MAX_QUESTION = 400
_FENCE = f"<<{'5e0a' * 6}>>"
"""Sample `_fence`, used to count its tokens."""
ELLIPSIS = " …"

_MARKER = re.compile(
    r"[\[【［〔]\s{0,3}(?:source:?\s{0,3})?(\^?\d[^\[\]【】［］〔〕\n]{0,40})[\]】］〕]", re.IGNORECASE
)
_NAMED = re.compile(r"[(\[]\s?(?:Source|Quelle)\s?:([^()\[\]\n]{0,200})[)\]]", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]\n]{0,300}+)\]\([^)\s]{1,2000}+(?:\s+\"[^\"\n]{0,200}\")?\)")


@dataclass(frozen=True, slots=True)
class Instructions:
    """The system prompt of a model and the version of its wording."""

    text: str
    version: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A prompt, with the sources that it contains (`offered`) and those that did not fit."""

    prompt: Prompt
    offered: tuple[Source, ...]
    left_out: tuple[Source, ...] = ()


def draft(
    request: SynthesisRequest,
    evidence: Evidence,
    instructions: Instructions,
    count: TokenCounter,
    temperature: float,
    max_tokens: int = MAX_TOKENS,
) -> Draft:
    """Build the prompt for a request. `count` returns the number of tokens in a text. The entire prompt, including
    instructions and sources, has at most `max_tokens` tokens."""
    question = _cut(clean(evidence.retrieval.question), MAX_QUESTION, count)
    before = _history(request.history, count)
    frame = count(instructions.text) + count(question) + count(before) + 60
    entries = _fitting(evidence, max_tokens - _MARGIN - frame, count)
    fence = _fence(question, before, entries)
    parts = [f"Question: {question}"]
    if before:
        parts.append(f"Earlier in this conversation:\n{fence}\n{before}\n{fence}")
    parts += [f"[{entry.source.citation_number}]\n{fence}\n{entry.label}\n{entry.text}\n{fence}" for entry in entries]
    prompt = Prompt("\n\n".join(parts), instructions.text, max_tokens=request.max_tokens, temperature=temperature)
    offered = tuple(entry.source for entry in entries)
    return Draft(prompt, offered, tuple(each for each in evidence.retrieval.sources if each not in offered))


@dataclass(frozen=True, slots=True)
class _PromptSource:
    """A source with its text in the prompt."""

    source: Source
    text: str

    @property
    def label(self) -> str:
        """Return the source's name and heading, and for a figure its Markdown image. The label belongs inside the
        fence, since the author of a document chose its name and headings."""
        hit = self.source.hit
        where = _plain(self.source.name)
        if not hit:
            return f"From: {where} (handed in by the client)"
        under = f", under: {_plain(' '.join(hit.block.heading.split()))[:120]}" if hit.block.heading else ""
        picture = address(hit.block.image_url) if hit.block.block_type == "image" else None
        caption = " ".join(clean(hit.block.image_caption or "Diagram").split())[:200].translate(_BRACKETS)
        return f"From: {where}{under}" + (f"\nFigure: ![{caption}]({picture})" if picture else "")


_BRACKETS = str.maketrans("[]", "()")


def _plain(text: str) -> str:
    """Return the text without anything that a reader or a parser could take for a citation or a link."""
    return _NAMED.sub(r"–\1 –", _MARKER.sub(r"(\1)", _LINK.sub(r"\1", clean(text))))


def _fitting(evidence: Evidence, room: int, count: TokenCounter) -> list[_PromptSource]:
    """Return the complete sources if they fit into `room` tokens, and otherwise excerpts around the best candidates.
    Figures that the question mentions by number are added first."""
    whole = [_PromptSource(each, _plain(each.text).strip()) for each in evidence.retrieval.sources]
    around = count(f"[10]\n{_FENCE}\n\n{_FENCE}\n")
    frames = [count(entry.label) + around for entry in whole]
    sizes = [frame + count(entry.text) for entry, frame in zip(whole, frames, strict=True)]
    if sum(sizes) <= room:
        return whole
    entries: dict[int, _PromptSource] = {}
    for n in evidence.material.labelled_figures:
        if sizes[n] <= room:
            entries[n] = whole[n]
            room -= sizes[n]
    excerpts = excerpts_within(evidence.material, frames, room, lambda text: count(_plain(text)))
    entries |= {n: _PromptSource(whole[n].source, _plain(text).strip()) for n, text in excerpts.items()}
    room -= sum(frames[n] + count(entries[n].text) for n in excerpts)
    for n, entry in enumerate(whole):
        if n not in entries and sizes[n] <= room:  # figures: their captions are not candidates
            entries[n] = entry
            room -= sizes[n]
    if not entries and whole:
        entries[0] = _PromptSource(whole[0].source, _cut(whole[0].text, max(room - frames[0], 60), count))
    return [entries[n] for n in sorted(entries)]


def _cut(text: str, limit: int, count: TokenCounter) -> str:
    """Return the text. If it has more than `limit` tokens, cut it at a space and append an ellipsis."""
    size, end = count(text), len(text)
    if size <= limit:
        return text
    cut = ""
    while size > limit and end > 0:
        end = min(end * limit // size, end - 1)
        start = text[: max(end, 0)]
        cut = (start.rpartition(" ")[0] or start).rstrip() + ELLIPSIS
        size = count(cut)
    return cut if end > 0 else ""


def _history(turns: Sequence[Turn], count: TokenCounter) -> str:
    """Return the latest turns that fit into MAX_HISTORY tokens, oldest first, each cut to 150 tokens."""
    kept: list[str] = []
    room = MAX_HISTORY
    for turn in reversed(turns):
        line = _cut(f"{turn.role}: {_MARKER.sub('', clean(turn.text)).strip()}", min(room, 150), count)
        room -= count(line)
        if room < 0:
            break
        kept.insert(0, line)
    return "\n".join(kept)


def _fence(question: str, before: str, entries: Sequence[_PromptSource]) -> str:
    """Return a delimiter line that no source can contain, because it is a digest of all of them."""
    digest = blake2b(digest_size=12, key=b"ibid")
    for text in (question, before, *(f"{entry.label}\n{entry.text}" for entry in entries)):
        digest.update(text.encode("utf-8", "replace") + b"\0")
    return f"<<{digest.hexdigest()}>>"
