"""The sections of an answer in markdown, cited in either style."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.synthesis.answer import Source
from corpus.synthesis.extractive.layout import Group, Piece, Section
from corpus.synthesis.extractive.quoting import Quoted, quoted
from corpus.synthesis.phrases import Phrases
from corpus.synthesis.request import CitationStyle
from corpus.synthesis.sources import renumbered
from corpus.synthesis.styles import source_list
from corpus.text.markdown import address, as_line, within_line

LONGEST_CAPTION = 200


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands above an answer, how it cites, and the words of its language."""

    title: str
    style: CitationStyle
    words: Phrases


def written(frame: Frame, sections: Sequence[Section]) -> tuple[str, tuple[Source, ...]]:
    """The answer, and the sources that it cites, numbered in the order of their pieces."""
    pieces = [piece for section in sections for group in section.groups for piece in group.pieces]
    cited = renumbered([piece.source for piece in pieces])
    numbers = iter(cited)
    parts = [frame.title]
    for section in sections:
        parts += [f"## {as_line(section.title)}"] if section.title else []
        for group in section.groups:
            parts += _group(group, numbers, frame)
    parts += [source_list(cited)] if frame.style == "inline" else []
    return "\n\n".join(parts), cited


def _group(group: Group, numbers: Iterator[Source], frame: Frame) -> Iterator[str]:
    if group.heading:
        yield f"**{within_line(group.heading)}**"
    cited = [(piece, next(numbers)) for piece in group.pieces]
    if frame.style == "inline":
        for piece, source in cited:
            yield from _by_number(piece, f"[{source.citation_number}]", frame.words)
    else:
        yield from _by_source(cited, frame.words)


def _by_number(piece: Piece, mark: str, words: Phrases) -> Iterator[str]:
    if piece.passage:
        yield from (one.text for one in quoted(piece.passage, words.rows, mark))
    else:
        yield f"{_figure(piece.source, words)} {mark}"


def _by_source(cited: Sequence[tuple[Piece, Source]], words: Phrases) -> Iterator[str]:
    """The source stands below each block; once for texts of one place that follow each other, and for a step with its
    code."""
    blocks: list[tuple[Quoted, str]] = []
    for one, citation in ((one, source.citation) for piece, source in cited for one in _blocks(piece, words)):
        if blocks and blocks[-1][1] == citation and (joined := blocks[-1][0].joined(one)):
            blocks[-1] = joined, citation
        else:
            blocks.append((one, citation))
    for n, (one, citation) in enumerate(blocks):
        yield one.text
        below = blocks[n + 1] if n + 1 < len(blocks) else None
        if one.states and not (below and below[1] == citation and one.leads_to(below[0])):
            yield f"*{citation}*"


def _blocks(piece: Piece, words: Phrases) -> list[Quoted]:
    if piece.passage:
        return quoted(piece.passage, words.rows)
    return [Quoted(_figure(piece.source, words), "image")]


def _figure(source: Source, words: Phrases) -> str:
    if not source.hit:
        return ""
    block = source.hit.block
    return f"![{as_line(_short(block.image_caption or words.figure))}]({address(block.image_url)})"


def _short(caption: str) -> str:
    """Its first sentence where it is long, else cut at a word."""
    if len(caption) <= LONGEST_CAPTION:
        return caption
    start = caption[:LONGEST_CAPTION]
    place = start.rfind(". ", LONGEST_CAPTION // 4)
    return start[: place + 1] if place > 0 else f"{start.rsplit(None, 1)[0]} …"
