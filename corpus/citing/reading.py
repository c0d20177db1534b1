"""Read an answer: its claims, the sources of each, and all its citations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.citing.claims import Above, Read, read_block
from corpus.citing.inline import InlineScanner
from corpus.citing.protocol import Citable, CitedAnswer
from corpus.citing.references import without_references
from corpus.citing.shown import Placed, Shown, shown
from corpus.citing.sourcebook import SourceBook, together
from corpus.citing.structure import Block, blocks_of
from corpus.readers.languages import language_of


def read_citations(answer: str, sources: Sequence[Citable], language: str | None = None) -> CitedAnswer:
    """The claims of an answer in Markdown with their sources. The time is linear in the answer's length. `language` is
    the answer's, detected where it is not given."""
    text, blocks = blocks_of(answer)
    scanner = InlineScanner(SourceBook(sources))
    spoken = language or language_of(text)
    parts: list[Read] = []
    above = Above()
    for block in without_references(text, blocks):
        for part, rendered in _parts(text, block, scanner):
            parts.append(read_block(text, part, rendered, spoken))
            above.add(parts[-1])
    combined = together(marker.named for part in parts for marker in part.markers)
    return CitedAnswer(
        tuple(claim for part in parts for claim in part.claims), combined.citations, combined.invalid
    )


def markers_in(answer: str, sources: Sequence[Citable]) -> tuple[Placed, ...]:
    """All markers that name sources, in order, with offsets into the answer, except those in a list of sources."""
    text, blocks = blocks_of(answer)
    scanner = InlineScanner(SourceBook(sources))
    parts = (marker for block in without_references(text, blocks) for marker in _parts(text, block, scanner))
    return tuple(
        sorted(
            (marker for _, rendered in parts for marker in rendered.markers), key=lambda marker: marker.start
        )
    )


def _parts(text: str, block: Block, scanner: InlineScanner) -> Iterator[tuple[Block, Shown]]:
    """The rendered block; a source line below a paragraph is a part of its own."""
    if block.kind in ("entry", "other"):
        yield block, Shown("", (), ())
        return
    last = shown(text, block.pieces[-1:], scanner)
    if len(block.pieces) == 1:
        yield block, last
    elif last.markers and not last.text.strip() and all(marker.of_files for marker in last.markers):
        above = Block(block.kind, block.pieces[:-1])
        yield above, shown(text, above.pieces, scanner)
        yield Block("paragraph", block.pieces[-1:]), last
    else:
        yield block, shown(text, block.pieces, scanner)
