"""An answer that somebody else wrote, checked against the sources that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.access import Caller
from corpus.citations import PAGE
from corpus.embedding.protocol import Embedder
from corpus.errors import DocumentNotFound, InvalidRequest
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import Checked, checked_by_meaning
from corpus.synthesis.gathering import Shelf
from corpus.synthesis.judging import ModelJudge
from corpus.synthesis.marking import unmarked
from corpus.synthesis.request import NamedSource
from corpus.synthesis.sources import numbered
from corpus.text.normalization import clean

LONGEST_ANSWER = 40_000
"""Letters."""
MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Verified:
    """The sources are those that the caller may read; a citation of another is one of no source."""

    check: Checked
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()


async def verified(
    answer: str,
    named: Sequence[NamedSource],
    shelf: Shelf,
    caller: Caller,
    *,
    page: str = PAGE,
    embedder: Embedder | None = None,
    judge: ModelJudge | None = None,
) -> Verified:
    """What a synthesis says in an answer of its own check is passed over. Raises InvalidRequest for an empty or endless
    answer, and for a number that stands for two sources, DocumentNotFound where none of the sources may be read."""
    text = readable(answer)
    numbers = [one.number for one in named]
    if twice := next((n for n in numbers if numbers.count(n) > 1), None):
        raise InvalidRequest(f"Two sources have the number {twice}. Number each of them once.")
    sources, warnings = await _looked_up(named, shelf, caller, page)
    check = await checked_by_meaning(text, sources, embedder, judge=judge)
    return Verified(check, sources, (*warnings, *check.warnings, *_told(check)))


def readable(answer: str) -> str:
    """An answer as it is checked, without marks of an earlier check. Raises InvalidRequest for one empty or endless."""
    if len(answer) > LONGEST_ANSWER:
        raise InvalidRequest(f"The answer is longer than {LONGEST_ANSWER} letters. Check it in parts.")
    text = unmarked(clean(answer))
    if not text.strip():
        raise InvalidRequest("The answer is empty. Pass the text whose citations are to be checked.")
    return text


def _told(check: Checked) -> tuple[str, ...]:
    if not check.claims:
        return ("No claim was found in this text: nothing in it states a fact.",)
    if check.unchecked:
        return (f"{check.unchecked} further claims were not checked; check the answer in parts.",)
    return ()


async def _looked_up(
    named: Sequence[NamedSource], shelf: Shelf, caller: Caller, page: str
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    ids = list(dict.fromkeys(one.block_id for one in named if one.block_id))
    hits = {hit.block.block_id: hit for hit in await shelf.blocks(ids, caller)} if ids else {}
    sources = []
    for one in named:
        known = [hits[one.block_id]] if one.block_id in hits else []
        made = numbered(known, [one.observation] if one.observation else [], page)
        sources += [replace(source, citation_number=one.number) for source in made[:1]]
    missing = [one.number for one in named if one.block_id and one.block_id not in hits]
    if missing and not sources:
        raise DocumentNotFound(
            "None of these block_ids is among the blocks you may read. Take them from rag_semantic_search."
        )
    return tuple(sources), (*_without(missing), *await shelf.told(list(hits.values())))


def _without(missing: Sequence[int]) -> tuple[str, ...]:
    if not missing:
        return ()
    named = ", ".join(f"[{number}]" for number in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return (
        f"Checked without {named}{more}: not among the blocks you may read. Take block_ids from rag_semantic_search.",
    )
