"""Build the data for the evidence view: the position of each claim in the answer, its verdict, and the position of its
evidence.

Offsets in the cleaned text are mapped to offsets in the text that the client has.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from corpus.documents.block import Block
from corpus.evidence_boxes import within_content
from corpus.synthesis.answer import Source
from corpus.synthesis.verdict_notes import mark_spans
from corpus.text.normalization import clean, unseen_spans
from corpus.verification.protocol import CheckedClaim
from server.answer_page.page_data import placed, sourceless
from tools.protocol import ToShow
from tools.text_anchors import block_print, utf16_offset

Span = tuple[int, int]

KEY = "ibid/evidence"
"""Key of the evidence view's data in `_meta`."""


class Removed:
    """Spans that were removed from a text, in ascending order."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = list(spans)
        self._until = list(accumulate((end - start for start, end in ordered), initial=0))
        self._at = [start - gone for (start, _), gone in zip(ordered, self._until, strict=False)]

    def begin(self, offset: int) -> int:
        """Return the original start offset of a text that now begins at `offset`."""
        return offset + self._until[bisect_right(self._at, offset)]

    def end(self, offset: int) -> int:
        """Return the original end offset of a text that now ends at `offset`."""
        return offset + self._until[bisect_left(self._at, offset)]


@dataclass(frozen=True, slots=True)
class Offsets:
    """A map from offsets in the cleaned text to offsets in the original."""

    text: str
    removed: Sequence[Removed]

    def of(self, start: int, end: int) -> Span:
        """Return the span in the original text, in UTF-16 units."""
        for removal in self.removed:
            start, end = removal.begin(start), removal.end(end)
        return utf16_offset(self.text, start), utf16_offset(self.text, end)


def as_read(text: str) -> tuple[str, Offsets]:
    """Return the cleaned text in which claims are located, and a map from its offsets to the original ones."""
    cleaned = clean(text)
    marks = mark_spans(cleaned)
    read = "".join(cleaned[a:b] for a, b in _between(marks, len(cleaned)))
    return read, Offsets(text, (Removed(marks), Removed(unseen_spans(text))))


def _between(spans: Sequence[Span], length: int) -> Iterable[Span]:
    at = 0
    for start, end in spans:
        yield at, start
        at = end
    yield at, length


def after_changes(meta: Mapping[str, Any] | None, changes: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return the `_meta` of a result, with claim offsets shifted because parts of the answer became longer. Each change
    is the end of such a part in the old answer and its increase in length, in UTF-16 units. Keep everything else in
    `_meta`."""
    facts = dict(meta or {})
    if KEY in facts and changes:
        rows = [[*(_later(at, changes) for at in row[:2]), *row[2:]] for row in facts[KEY]["claims"]]
        facts[KEY] = {**facts[KEY], "claims": rows}
    return facts


def _later(offset: int, changes: Sequence[tuple[int, int]]) -> int:
    return offset + sum(longer for end, longer in changes if end <= offset)


MAX_BYTES = 1_900
"""Maximum size of the compact JSON with its key, in bytes. A result may grow by 2,000 bytes; the difference leaves room
for longer offsets, because URLs over HTTP are longer."""

Row = list[Any]
"""Row for a claim: start, end, verdict, number, block, from, to. `block` is an index into the list of blocks, or
null."""


def view_data(answer: ToShow) -> dict[str, Any]:
    """Return the `_meta` of a result: as many claims as fit, in order, their blocks with content digests, and the
    number of omitted claims."""
    text, offsets = as_read(answer.text)
    sources = {source.citation_number: source for source in answer.sources}
    claims = sourceless(answer.claims if answer.as_given else placed(text, answer.claims, answer.sources))
    kept = _that_fit((_row(claim, sources, offsets), _block_of(claim, sources)) for claim in claims)
    return {KEY: {**kept, "more": len(answer.claims) - len(kept["claims"])}}


def _row(claim: CheckedClaim, sources: dict[int, Source], offsets: Offsets) -> Row:
    start, end = offsets.of(claim.claim.start, claim.claim.end)
    source = _source(claim, sources)
    cited = next((n for n in claim.claim.citations if n in sources), None)
    number = source.citation_number if source else cited
    place = (0, 0)
    if source and source.hit and claim.evidence:
        place = within_content(source.hit.block, claim.evidence.start, claim.evidence.end)
    return [start, end, claim.verdict, number, *place]


def _source(claim: CheckedClaim, sources: dict[int, Source]) -> Source | None:
    return sources.get(claim.evidence.number) if claim.evidence else None


def _block_of(claim: CheckedClaim, sources: dict[int, Source]) -> Block | None:
    source = _source(claim, sources)
    return source.hit.block if source and source.hit else None


def _that_fit(rows: Iterable[tuple[Row, Block | None]]) -> dict[str, Any]:
    claims: list[Row] = []
    prints: dict[str, str] = {}
    left = MAX_BYTES - _size({KEY: {"claims": [], "blocks": [], "prints": [], "more": 10**6}})
    for claim, block in rows:
        new = {} if block is None or block.block_id in prints else {block.block_id: block_print(block)}
        at = None if block is None else [*prints, *new].index(block.block_id)
        row = [*claim[:4], at, *claim[4:]]
        left -= _size(row) + 1 + sum(_size(text) + 1 for pair in new.items() for text in pair)
        if left < 0:
            break
        claims.append(row)
        prints |= new
    return {"claims": claims, "blocks": [*prints], "prints": [*prints.values()]}


def _size(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))
