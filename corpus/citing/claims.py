"""The claims of a block, each with its markers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.citing.claimed import is_claim, is_title
from corpus.citing.protocol import Claim, ClaimKind
from corpus.citing.sentences import sentences
from corpus.citing.shown import Placed, Shown
from corpus.citing.sourcebook import Named, together
from corpus.citing.structure import Block, BlockKind
from corpus.citing.wording import wording

_KINDS: dict[BlockKind, ClaimKind] = {"paragraph": "sentence", "item": "item", "row": "row"}
_MAX_LINES = 10
"""Consecutive marker lines whose sources go to the blocks above; further ones count only for the whole answer."""
_WORD = re.compile(r"[^\W_]")


@dataclass(slots=True)
class Read:
    """The claims and markers of a block. A block of markers alone cites for the one above it."""

    kind: BlockKind
    claims: list[Claim]
    markers: Sequence[Placed]
    is_markers_alone: bool


def read_block(text: str, block: Block, rendered: Shown, language: str | None) -> Read:
    """The claims of one block with the sources of their markers."""
    alone = bool(rendered.markers) and block.kind in _KINDS and not _WORD.search(rendered.text)
    kind = _KINDS.get(block.kind)
    claims: list[Claim] = []
    titled = block.kind == "paragraph" and len(block.pieces) == 1 and is_title(text[slice(*block.pieces[0])])
    if kind and not alone and not titled:
        claims = list(_claims(rendered, kind, language))
    return Read(block.kind, claims, rendered.markers, alone)


def _claims(rendered: Shown, kind: ClaimKind, language: str | None) -> Iterator[Claim]:
    spans = _spans(rendered.text, kind, language)
    markers: list[list[Placed]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    for marker in rendered.markers if spans else ():
        markers[max(0, bisect_left(starts, marker.at) - 1)].append(marker)
    for (start, end), own_markers in zip(spans, markers, strict=True):
        body = wording(rendered.text[start:end])
        if is_claim(body, cited=bool(own_markers)):
            sources = together(marker.named for marker in own_markers)
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
        self._run: list[Read] = []
        self._bare: list[tuple[Read, int]] = []
        self._lines = 0

    def add(self, block: Read) -> None:
        """Take the next block; a marker line gives its sources to those before it."""
        if block.is_markers_alone:
            self._credit(block)
            return
        if (
            self._lines
            or block.kind not in ("item", "row")
            or (self._run and self._run[-1].kind != block.kind)
        ):
            self._run, self._lines = [], 0
        self._run.append(block)

    def _credit(self, line: Read) -> None:
        self._lines += 1
        if not self._run or self._lines > _MAX_LINES:
            return
        if self._lines == 1:
            claims = ((block, n, claim) for block in self._run for n, claim in enumerate(block.claims))
            self._bare = [(block, n) for block, n, claim in claims if not claim.is_cited]
        sources = together(marker.named for marker in line.markers)
        last = [(self._run[-1], len(self._run[-1].claims) - 1)] if self._run[-1].claims else []
        whole = all(marker.of_files for marker in line.markers)
        for block, n in (self._bare or last) if whole else last:
            block.claims[n] = _with_sources(block.claims[n], sources)


def _with_sources(claim: Claim, sources: Named) -> Claim:
    combined = together([Named(claim.citations, claim.invalid), sources])
    return replace(claim, citations=combined.citations, invalid=combined.invalid)
