"""Check a written answer against its sources: its citations, and whether the sources support each claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio.to_thread

from corpus.citing.protocol import Citable
from corpus.citing.reading import read_citations
from corpus.embedding.protocol import Embedder
from corpus.errors import IbidError
from corpus.processes.tracing import trace_span
from corpus.readers.languages import language_of
from corpus.search import Hit
from corpus.synthesis.answer import Source
from corpus.synthesis.model_judge import ModelJudge
from corpus.verification.contradictions import contradictions
from corpus.verification.protocol import CheckedClaim, SourceText
from corpus.verification.verify import PARTLY, lift_by_meaning, looks_at_all, primary, verify

MAX_CLAIMS = 500
"""Maximum number of claims per answer that are compared with its sources, which limits the time."""


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """The claims of an answer with their verdicts.

    `citations` contains the numbers of the cited sources. `invalid` contains the citation markers that match no source.
    `unchecked` counts the claims beyond MAX_CLAIMS.
    """

    claims: tuple[CheckedClaim, ...]
    citations: tuple[int, ...]
    invalid: tuple[str, ...]
    contradictions: tuple[str, ...] = ()
    unchecked: int = 0
    warnings: tuple[str, ...] = ()


def check_claims(answer: str, sources: Sequence[Source], language: str | None = None) -> ClaimCheck:
    """Check the claims by words and values. This is slow for a long answer, so call it in a worker thread."""
    read = read_citations(answer, [citable(source) for source in sources], language)
    texts = _texts(sources)
    cited = [text for text in texts if text.number in read.citations]
    claims = verify(read.claims[:MAX_CLAIMS], texts, language)
    left = len(read.claims) - len(claims)
    return ClaimCheck(claims, read.citations, read.invalid, contradictions(cited), left)


async def check_claims_by_meaning(
    answer: str,
    sources: Sequence[Source],
    embedder: Embedder | None,
    language: str | None = None,
    judge: ModelJudge | None = None,
) -> ClaimCheck:
    """Check the claims by words, then by embeddings, then by the judge. The embeddings check claims whose sources are
    all in a different language. The judge checks claims whose verdict is still `partly`. If the embedder or the judge
    fails, the earlier verdicts remain."""
    with trace_span("verification") as note:
        check = await _by_words_and_meaning(answer, sources, embedder, language)
        if judge is not None:
            claims, warnings = await judge.judge(check.claims, _texts(sources))
            check = replace(check, claims=claims, warnings=warnings)
        unsupported = sum(claim.is_unsupported for claim in check.claims)
        note(claims=len(check.claims), unsupported=unsupported, invalid=len(check.invalid))
    return check


async def _by_words_and_meaning(
    answer: str, sources: Sequence[Source], embedder: Embedder | None, language: str | None
) -> ClaimCheck:
    check = await anyio.to_thread.run_sync(check_claims, answer, sources, language)
    if embedder is None:
        return check
    try:
        return replace(check, claims=await lift_by_meaning(check.claims, _texts(sources), embedder, language))
    except (IbidError, ImportError):
        return check


async def has_no_support(
    claims: Sequence[CheckedClaim],
    sources: Sequence[Source],
    embedder: Embedder | None,
    language: str | None,
) -> bool:
    """Return whether no source supports any claim. A source, cited or not, supports a claim if it contains at least the
    fraction PARTLY of the claim's words and values, or if it is in a different language and has a sentence of similar
    meaning.

    Return False if a source in a different language cannot be compared, because there is no embedder or the source is
    too long.
    """
    if not await anyio.to_thread.run_sync(_by_words_nowhere, claims, sources, language):
        return False
    foreign = await anyio.to_thread.run_sync(_in_another_language, sources, language)
    if not foreign:
        return True
    if embedder is None or not await anyio.to_thread.run_sync(looks_at_all, claims, foreign):
        return False
    numbers = tuple(text.number for text in foreign)
    candidates = [
        replace(claim, claim=replace(claim.claim, citations=numbers, invalid=()), verdict="not_found")
        for claim in claims
    ]
    try:
        return not any(
            claim.verdict == "partly" for claim in await lift_by_meaning(candidates, foreign, embedder, language)
        )
    except (IbidError, ImportError):
        return False


def _by_words_nowhere(claims: Sequence[CheckedClaim], sources: Sequence[Source], language: str | None) -> bool:
    if not claims or any(claim.verdict in ("found", "partly") or claim.score >= PARTLY for claim in claims):
        return False
    bare = [replace(claim.claim, citations=(), invalid=()) for claim in claims]
    return all(claim.score < PARTLY for claim in verify(bare, _texts(sources), language))


def _in_another_language(sources: Sequence[Source], language: str | None) -> list[SourceText]:
    if not language:
        return []
    languages = ((text, primary(text.language) or language_of(text.text)) for text in _texts(sources))
    return [text for text, text_language in languages if text_language and text_language != primary(language)]


def _texts(sources: Sequence[Source]) -> list[SourceText]:
    return [
        SourceText(source.citation_number, source.text, source.language, *_origin(source.hit)) for source in sources
    ]


def _origin(hit: Hit | None) -> tuple[str | None, str | None]:
    return (hit.block.heading, hit.block.doc_id) if hit else (None, None)


def citable(source: Source) -> Citable:
    """Return the names by which an answer may cite this source."""
    if source.hit:
        block, document = source.hit.block, source.hit.document
        return Citable(source.citation_number, document.filename or document.title or None, block.page_number,
                       block.page_label, written=source.citation)  # fmt: skip
    observation = source.observation
    return Citable(source.citation_number, file=source.name, url=observation.url if observation else None)
