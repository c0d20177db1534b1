"""Build the view's data: the place of each claim in the answer, its verdict, and the place of its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from corpus.documents.block import Block
from corpus.evidence.boxes import within_content
from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_data import placed, sourceless
from server.evidence_view.offsets import KEY, Offsets, as_read
from tools.block_digest import block_print
from tools.protocol import ToShow

MAX_BYTES = 1_900
"""Bytes of compact JSON with its key. A result grows by at most 2,000: longer URLs over HTTP make offsets longer."""

Row = list[Any]
"""start, end, verdict, number, block, from, to. `block` is an index into the list of blocks, or null."""


def view_data(answer: ToShow) -> dict[str, Any]:
    """The `_meta` of a result: as many claims as fit, in order, their blocks with content digests, and the number of
    omitted claims."""
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
