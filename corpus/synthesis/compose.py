"""An answer without a model: the best blocks in order of score, each followed by its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.citations import PAGE, citation
from corpus.markdown import address, as_line, as_text, within_line
from corpus.search import Hit
from corpus.synthesis.answer import NOTHING_FOUND, Source, Synthesis
from corpus.synthesis.confidence import LIMITED, NOTICE, confidence
from corpus.synthesis.excerpt import excerpt
from corpus.synthesis.prose import prose
from corpus.text import is_contents, token_estimate

MOST_BLOCKS = 10
LEAST_BLOCKS = 3
MOST_TOKENS = 2000
WEAK = 0.65
"""Share of the best score below which a block is left out of an answer."""
DEFAULT_CAPTION = "Diagram"


def compose(query: str, hits: Iterable[Hit], *, page: str = PAGE, max_tokens: int = MOST_TOKENS) -> Synthesis:
    """A cited answer of at most about `max_tokens`: text as excerpts, images in their place.

    An image that cannot be shown and a block that says nothing are left out; blocks that no longer fit are
    counted in a warning.
    """
    ranked = sorted(hits, key=lambda hit: hit.score, reverse=True)
    pieces = _strong([(hit, piece) for hit in ranked if (piece := _piece(hit, query))])
    kept = _within(pieces, max_tokens)
    if not kept:
        return Synthesis(
            answer=NOTHING_FOUND, mode="compose", confidence_factors={"independent_sources": 0.0}
        )
    sources = _sources([hit for hit, _ in kept], page)
    trust, factors = confidence([hit for hit, _ in kept])
    parts = [f"# Answer to: {as_line(query)}"]
    for (_, piece), source in zip(kept, sources, strict=True):
        parts += [piece, f"*{source.citation}*"]
    if trust < LIMITED:
        parts.append(NOTICE)
    return Synthesis(
        answer="\n\n".join(parts),
        mode="compose",
        sources=sources,
        confidence=trust,
        confidence_factors=factors,
        warnings=_left_out(len(pieces) - len(kept)),
    )


def _strong(pieces: list[tuple[Hit, str]]) -> list[tuple[Hit, str]]:
    """Without the tail that was found only because something had to be; blocks without scores are all kept."""
    if not pieces or pieces[0][0].score_kind == "none":
        return pieces
    least = WEAK * pieces[0][0].score
    return [one for n, one in enumerate(pieces) if n < LEAST_BLOCKS or one[0].score >= least]


def _piece(hit: Hit, query: str) -> str:
    block = hit.block
    if block.block_type == "image":
        url = address(block.image_url)
        return f"![{as_line(block.image_caption or DEFAULT_CAPTION)}]({url})" if url else ""
    if is_contents(block.content):
        return ""
    heading, body = prose(block, hit.document)
    quoted = as_text(excerpt(body, query, block.language))
    return f"**{within_line(heading)}**\n\n{quoted}" if heading else quoted


def _within(pieces: Sequence[tuple[Hit, str]], max_tokens: int) -> list[tuple[Hit, str]]:
    kept: list[tuple[Hit, str]] = []
    left = max_tokens
    for hit, piece in pieces[:MOST_BLOCKS]:
        cost = token_estimate(piece) + 30  # its source line
        if kept and cost > left:
            break
        kept.append((hit, piece))
        left -= cost
    return kept


def _sources(hits: Sequence[Hit], page: str) -> tuple[Source, ...]:
    return tuple(Source(n, hit, citation(hit.document, hit.block, page)) for n, hit in enumerate(hits, 1))


def _left_out(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"{count} further blocks did not fit; ask for them by block_ids or with a narrower question.",)
