"""Cross-lingual claims: words cannot be compared across languages, so embeddings are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

import anyio.to_thread

from corpus.embedding.protocol import Embedder, Vectors
from corpus.readers.languages import language_of
from corpus.text.sentences import sentence_spans
from corpus.verification.protocol import CheckedClaim, Evidence, SourceText
from corpus.verification.verify import answer_language, is_across, primary

ALIKE = 0.85
"""Minimum cosine of a sentence in another language that may state a claim, measured for the packaged embedder (bench
grounding)."""
_MAX_SENTENCES = 12
"""Maximum number of sentences per source. An embedder takes a tenth of a second for each."""
_MAX_CLAIMS = 8
"""Maximum number of claims per answer."""


@dataclass(frozen=True, slots=True)
class _EmbeddedSource:
    """The first sentences of a source and their vectors, shape (sentences, dimensions)."""

    source: SourceText
    spans: tuple[tuple[int, int], ...]
    vectors: Vectors


async def lift_by_meaning(
    checked: Sequence[CheckedClaim],
    sources: Sequence[SourceText],
    embedder: Embedder,
    language: str | None = None,
) -> tuple[CheckedClaim, ...]:
    """Return the claims in order. Cross-lingual `not_found` claims are raised to `partly` if a sentence has a similar
    meaning, and that sentence becomes the evidence.

    Nothing else changes: `found` is only for wording, and a different number remains a mismatch. Only the first eight
    such claims are compared. Raises the embedder's errors.
    """
    embedded: dict[int, _EmbeddedSource] = {}
    result = list(checked)
    for at, cited in await anyio.to_thread.run_sync(_cross_lingual_claims, checked, sources, language):
        for source in cited:
            if source.number not in embedded:
                embedded[source.number] = await _embed_source(source, embedder)
        result[at] = await _lift(checked[at], [embedded[source.number] for source in cited], embedder)
    return tuple(result)


def looks_at_all(claims: Sequence[CheckedClaim], sources: Sequence[SourceText]) -> bool:
    """Return whether `lifted` compares each of these claims with each sentence of these sources."""
    if len(claims) > _MAX_CLAIMS:
        return False
    return all(len(tuple(sentence_spans(source.text, source.language))) <= _MAX_SENTENCES for source in sources)


def _cross_lingual_claims(
    checked: Sequence[CheckedClaim], sources: Sequence[SourceText], language: str | None
) -> list[tuple[int, list[SourceText]]]:
    """Return the indexes of the claims to compare, each with its cited sources. Slow for long sources."""
    language = primary(language) or answer_language([item.claim for item in checked])
    by_number = {source.number: source for source in sources}
    source_language = cache(lambda number: primary(by_number[number].language) or language_of(by_number[number].text))
    crossing: list[tuple[int, list[SourceText]]] = []
    for position, item in enumerate(checked):
        cited = [number for number in item.claim.citations if number in by_number]
        if item.verdict == "not_found" and cited and is_across(language, [source_language(number) for number in cited]):
            crossing.append((position, [by_number[number] for number in cited]))
            if len(crossing) == _MAX_CLAIMS:
                break
    return crossing


async def _embed_source(source: SourceText, embedder: Embedder) -> _EmbeddedSource:
    spans = await anyio.to_thread.run_sync(_first_sentences, source)
    return _EmbeddedSource(source, spans, await embedder.passages([source.text[start:end] for start, end in spans]))


def _first_sentences(source: SourceText) -> tuple[tuple[int, int], ...]:
    return tuple(islice(sentence_spans(source.text, source.language), _MAX_SENTENCES))


async def _lift(claim: CheckedClaim, embedded: Sequence[_EmbeddedSource], embedder: Embedder) -> CheckedClaim:
    vector = await embedder.query(claim.claim.text)
    best: tuple[float, Evidence | None] = (ALIKE, None)
    for source in embedded:
        for (start, end), nearness in zip(source.spans, (source.vectors @ vector).tolist(), strict=True):
            if nearness >= best[0]:
                evidence = Evidence(source.source.number, source.source.text[start:end], start, end, claim.score)
                best = (nearness, evidence)
    return claim if best[1] is None else replace(claim, verdict="partly", evidence=best[1])
