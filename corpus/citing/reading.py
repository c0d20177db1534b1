"""Read an answer: its claims, the sources of each, and all its citations."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.citing.checkworthiness import is_claim, is_title
from corpus.citing.protocol import Citable, CitedAnswer, Claim, ClaimKind
from corpus.citing.references import without_references
from corpus.citing.rendered_text import InlineScanner, PlacedMarker, RenderedText, render
from corpus.citing.source_lookup import MarkerSources, SourceBook, union
from corpus.citing.structure import Block, BlockKind, blocks_of
from corpus.readers.languages import language_of
from corpus.text.sentences import sentences

_EMPTY = re.compile(
    r"(?<!\s)\s*+[(\[（]\s*+(?:(?:see|see also|siehe|vgl\.|cf\.|s\.|source|quelle)\s*+:?)?\s*+[,;]?\s*+[)\]）]",
    re.IGNORECASE,
)


def wording(text: str) -> str:
    """The text on one line, without empty brackets."""
    return " ".join(_EMPTY.sub("", text).split())


_KINDS: dict[BlockKind, ClaimKind] = {"paragraph": "sentence", "item": "item", "row": "row"}
_MAX_LINES = 10
"""Consecutive marker lines whose sources go to the blocks above; further ones count only for the whole answer."""
_WORD = re.compile(r"[^\W_]")


@dataclass(slots=True)
class BlockReading:
    """The claims and markers of a block. A block of markers alone cites for the one above it."""

    kind: BlockKind
    claims: list[Claim]
    markers: Sequence[PlacedMarker]
    is_markers_alone: bool


def read_block(text: str, block: Block, rendered: RenderedText, language: str | None) -> BlockReading:
    """The claims of one block with the sources of their markers."""
    alone = bool(rendered.markers) and block.kind in _KINDS and not _WORD.search(rendered.text)
    kind = _KINDS.get(block.kind)
    claims: list[Claim] = []
    titled = block.kind == "paragraph" and len(block.pieces) == 1 and is_title(text[slice(*block.pieces[0])])
    if kind and not alone and not titled:
        claims = list(_claims(rendered, kind, language))
    return BlockReading(block.kind, claims, rendered.markers, alone)


def _claims(rendered: RenderedText, kind: ClaimKind, language: str | None) -> Iterator[Claim]:
    spans = _spans(rendered.text, kind, language)
    markers: list[list[PlacedMarker]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    for marker in rendered.markers if spans else ():
        markers[max(0, bisect_left(starts, marker.at) - 1)].append(marker)
    for (start, end), own_markers in zip(spans, markers, strict=True):
        body = wording(rendered.text[start:end])
        if is_claim(body, cited=bool(own_markers)):
            sources = union(marker.sources for marker in own_markers)
            first = min([rendered.places[start], *(marker.start for marker in own_markers)])
            last = max([rendered.places[end - 1] + 1, *(marker.end for marker in own_markers)])
            yield Claim(body, first, last, kind, sources.citations, sources.invalid)


def _spans(text: str, kind: ClaimKind, language: str | None) -> list[tuple[int, int]]:
    """Sentence spans; a row is one, and signs without a word belong to the sentence before."""
    if kind == "row":
        return [(0, len(text))] if text else []
    spans: list[tuple[int, int]] = []
    for start, end in sentences(text, language):
        if spans and not _WORD.search(text, start, end):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


class Above:
    """The blocks above a marker line, which receive its sources.

    A line that names files or addresses cites for every uncited claim of the paragraph, list or table; a bare number
    cites for the last sentence.
    """

    def __init__(self) -> None:
        self._run: list[BlockReading] = []
        self._bare: list[tuple[BlockReading, int]] = []
        self._lines = 0

    def add(self, block: BlockReading) -> None:
        """Take the next block; a marker line gives its sources to those before it."""
        if block.is_markers_alone:
            self._credit(block)
            return
        if self._lines or block.kind not in ("item", "row") or (self._run and self._run[-1].kind != block.kind):
            self._run, self._lines = [], 0
        self._run.append(block)

    def _credit(self, line: BlockReading) -> None:
        self._lines += 1
        if not self._run or self._lines > _MAX_LINES:
            return
        if self._lines == 1:
            claims = ((block, n, claim) for block in self._run for n, claim in enumerate(block.claims))
            self._bare = [(block, n) for block, n, claim in claims if not claim.is_cited]
        sources = union(marker.sources for marker in line.markers)
        last = [(self._run[-1], len(self._run[-1].claims) - 1)] if self._run[-1].claims else []
        whole = all(marker.of_files for marker in line.markers)
        for block, n in (self._bare or last) if whole else last:
            block.claims[n] = _with_sources(block.claims[n], sources)


def _with_sources(claim: Claim, sources: MarkerSources) -> Claim:
    combined = union([MarkerSources(claim.citations, claim.invalid), sources])
    return replace(claim, citations=combined.citations, invalid=combined.invalid)


def read_citations(answer: str, sources: Sequence[Citable], language: str | None = None) -> CitedAnswer:
    """The claims of an answer in Markdown with their sources. The time is linear in the answer's length. `language` is
    the answer's, detected where it is not given."""
    text, blocks = blocks_of(answer)
    scanner = InlineScanner(SourceBook(sources))
    spoken = language or language_of(text)
    parts: list[BlockReading] = []
    above = Above()
    for block in without_references(text, blocks):
        for part, rendered in _parts(text, block, scanner):
            parts.append(read_block(text, part, rendered, spoken))
            above.add(parts[-1])
    combined = union(marker.sources for part in parts for marker in part.markers)
    return CitedAnswer(tuple(claim for part in parts for claim in part.claims), combined.citations, combined.invalid)


def markers_in(answer: str, sources: Sequence[Citable]) -> tuple[PlacedMarker, ...]:
    """All markers that name sources, in order, with offsets into the answer, except those in a list of sources."""
    text, blocks = blocks_of(answer)
    scanner = InlineScanner(SourceBook(sources))
    parts = (marker for block in without_references(text, blocks) for marker in _parts(text, block, scanner))
    return tuple(
        sorted((marker for _, rendered in parts for marker in rendered.markers), key=lambda marker: marker.start)
    )


def _parts(text: str, block: Block, scanner: InlineScanner) -> Iterator[tuple[Block, RenderedText]]:
    """The rendered block; a source line below a paragraph is a part of its own."""
    if block.kind in ("entry", "other"):
        yield block, RenderedText("", (), ())
        return
    last = render(text, block.pieces[-1:], scanner)
    if len(block.pieces) == 1:
        yield block, last
    elif last.markers and not last.text.strip() and all(marker.of_files for marker in last.markers):
        above = Block(block.kind, block.pieces[:-1])
        yield above, render(text, above.pieces, scanner)
        yield Block("paragraph", block.pieces[-1:]), last
    else:
        yield block, render(text, block.pieces, scanner)
