"""An answer without a model: the best blocks in order of score, each followed by its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.markdown import address, as_line, as_text, within_line
from corpus.synthesis.answer import NOTHING_FOUND, Source
from corpus.synthesis.excerpt import excerpt
from corpus.synthesis.prose import prose
from corpus.synthesis.request import CitationStyle
from corpus.synthesis.sources import renumbered
from corpus.text import is_contents, token_estimate

MOST_BLOCKS = 10
LEAST_BLOCKS = 3
MOST_TOKENS = 2000
WEAK = 0.65
"""Share of the best score below which a block is left out of an answer."""
DEFAULT_CAPTION = "Diagram"


@dataclass(frozen=True, slots=True)
class Composed:
    """`sources` are those that the answer cites, numbered in the order of its pieces; it is empty where nothing could
    be said. `left_out` counts what would have been said but did not fit."""

    answer: str
    sources: tuple[Source, ...] = ()
    left_out: int = 0


def compose(
    query: str, sources: Iterable[Source], *, style: CitationStyle = "source", max_tokens: int = MOST_TOKENS
) -> Composed:
    """A cited answer of at most about `max_tokens`: text as excerpts, images in their place.

    An image that cannot be shown and a block that says nothing are left out.
    """
    ranked = sorted(sources, key=lambda source: source.hit.score if source.hit else 0.0, reverse=True)
    pieces = _strong([(source, piece) for source in ranked if (piece := _piece(source, query))])
    kept = _within(pieces, max_tokens)
    if not kept:
        return Composed(NOTHING_FOUND)
    cited = renumbered([source for source, _ in kept])
    parts = [f"# Answer to: {as_line(query)}"]
    for (_, piece), source in zip(kept, cited, strict=True):
        parts += (
            [f"{piece} [{source.citation_number}]"] if style == "inline" else [piece, f"*{source.citation}*"]
        )
    if style == "inline":
        parts.append(source_list(cited))
    return Composed("\n\n".join(parts), cited, len(pieces) - len(kept))


def source_list(sources: Iterable[Source]) -> str:
    """`[1] (Source: manual.pdf, S. 46)`, a line each."""
    return "  \n".join(f"[{source.citation_number}] {source.citation}" for source in sources)


def _strong(pieces: list[tuple[Source, str]]) -> list[tuple[Source, str]]:
    """Without the tail that was found only because something had to be; sources without scores are all kept."""
    scored = [source.hit.score for source, _ in pieces if source.hit and source.hit.score_kind != "none"]
    if not scored:
        return pieces
    least = WEAK * scored[0]
    return [
        one for n, one in enumerate(pieces) if n < LEAST_BLOCKS or not one[0].hit or one[0].hit.score >= least
    ]


def _piece(source: Source, query: str) -> str:
    if not source.hit:
        return as_text(excerpt(source.text, query))
    block = source.hit.block
    if block.block_type == "image":
        url = address(block.image_url)
        return f"![{as_line(block.image_caption or DEFAULT_CAPTION)}]({url})" if url else ""
    if is_contents(block.content):
        return ""
    heading, body = prose(block, source.hit.document)
    quoted = as_text(excerpt(body, query, block.language))
    return f"**{within_line(heading)}**\n\n{quoted}" if heading else quoted


def _within(pieces: Sequence[tuple[Source, str]], max_tokens: int) -> list[tuple[Source, str]]:
    kept: list[tuple[Source, str]] = []
    left = max_tokens
    for hit, piece in pieces[:MOST_BLOCKS]:
        cost = token_estimate(piece) + 30  # its source line
        if kept and cost > left:
            break
        kept.append((hit, piece))
        left -= cost
    return kept


def left_out(count: int) -> tuple[str, ...]:
    """A sentence on what did not fit, where something did not."""
    if not count:
        return ()
    return (f"{count} further blocks did not fit; ask for them by block_ids or with a narrower question.",)
