"""Verify each claim of an answer against the sources that it cites.

Claims and sources in different languages have few words in common, so their embeddings are compared instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice

import anyio.to_thread

from corpus.citing.protocol import Claim
from corpus.embedding.protocol import Embedder, Vectors
from corpus.readers.languages import language_of
from corpus.text.sentences import sentence_spans
from corpus.verification.alignment import Alignment, align
from corpus.verification.lexical_overlap import Wording
from corpus.verification.protocol import CheckedClaim, Evidence, SourceText, Verdict
from corpus.verification.source_facts import SourceFacts
from corpus.verification.values import ValueComparison, compare_values, language_of_values

FOUND = 2 / 3
"""Minimum fraction of a claim's words and values that a source must contain for the wording to count as found."""
PARTLY = 1 / 3
"""Minimum fraction of words and values for a claim to count as partly supported."""
_MAX_SENTENCES = 24
"""Maximum number of sentences, over all sources, that are searched for one claim's values."""
_MAX_ALIGNED = 4
"""Maximum number of sentences with which a claim is aligned: those with the most words in common."""
_MAX_CLAIM = 2_000
"""Maximum length in characters of a claim whose values are looked up sentence by sentence."""
_MAX_OTHERS = 3
"""Maximum number of uncited sources with which an unsupported claim is compared."""
_MIN_LANGUAGE_SAMPLE = 100
"""Minimum number of characters for reliable language detection."""


class _Source:
    """A source, prepared once for all claims."""

    def __init__(self, source: SourceText, language: str | None) -> None:
        self.number = source.number
        self.language = primary(source.language) or language_of(source.text) or language
        self.holdings = SourceFacts(source.text, self.language)
        self._source = source

        self._sentences: dict[int, SourceFacts] = {}

    @cached_property
    def wording(self) -> Wording:
        return Wording(self._source, self.language)

    def around(self, sentence: Evidence) -> str:
        """Return the text of the sentence and of the next one."""
        return self._source.text[sentence.start : self.wording.end_of_next(sentence.start)]

    def sentence(self, evidence: Evidence) -> SourceFacts:
        """Return the facts of a sentence, parsed once for all claims."""
        if evidence.start not in self._sentences:
            self._sentences[evidence.start] = SourceFacts(evidence.text, self.language)
        return self._sentences[evidence.start]


def verify(
    claims: Sequence[Claim], sources: Sequence[SourceText], language: str | None = None
) -> tuple[CheckedClaim, ...]:
    """Return a verdict for each claim, in order. `language` is the language of the answer, if known.

    A claim is compared with its cited sources together. A claim without citations is compared with all sources, to show
    its possible origin. The time is linear in the length of sources and claims. Repeated claims with the same citations
    are compared once.
    """
    language = primary(language) or answer_language(claims)
    by_number = {source.number: _Source(source, language) for source in sources}
    results: dict[tuple[object, ...], CheckedClaim] = {}
    for claim in claims:
        if _claim_key(claim) not in results:
            checked = _check(claim, by_number, language)
            results[_claim_key(claim)] = replace(checked, found_in=_sources_elsewhere(checked, by_number, language))
    return tuple(replace(results[_claim_key(claim)], claim=claim) for claim in claims)


def _claim_key(claim: Claim) -> tuple[object, ...]:
    """Return the parts of a claim that determine its verdict, as a key."""
    return claim.text, claim.citations, claim.is_cited


def answer_language(claims: Sequence[Claim]) -> str | None:
    """Return the language of all claims taken together, or None if there is too little text to detect it."""
    text = " ".join(claim.text for claim in claims[:50])
    return language_of(text) if len(text) >= _MIN_LANGUAGE_SAMPLE else None


def _check(claim: Claim, by_number: Mapping[int, _Source], language: str | None) -> CheckedClaim:
    cited = [by_number[number] for number in dict.fromkeys(claim.citations) if number in by_number]
    compared_with = cited or list(by_number.values())
    words, word_hits, sentences = _coverage(claim.text, compared_with)
    share = word_hits / words if words else 0.0
    language = language_of_values(claim.text, language, [source.holdings for source in compared_with], share)
    crosses = is_across(language, [source.language for source in compared_with]) and share < PARTLY
    values = compare_values(claim.text, language, [source.holdings for source in compared_with], with_names=not crosses)
    evidence = _evidence(claim.text, language, sentences, compared_with)
    score = _score(words, word_hits, values, claim.text, compared_with)
    differing, absent = _split_names(values)
    verdict = _verdict(score, differing, absent)
    if verdict == "found" and not values.all_compared:
        verdict = "partly"
    alignment = _align(claim.text, language, sentences, compared_with) if score >= PARTLY else Alignment()
    if alignment.is_verbatim and values.all_compared and (not differing or claim.text.isupper()):
        verdict, differing, absent = "found", (), ()
    elif verdict != "value_mismatch" and alignment.differences:
        verdict, absent = "partly", (*absent, *map(str, alignment.differences))
    by_words: Verdict = "partly" if crosses and verdict == "not_found" else verdict
    if not cited:
        verdict = "invalid_citation" if claim.is_cited else "uncited"
    return CheckedClaim(claim, verdict, score, evidence, differing or absent, by_words)


def _sources_elsewhere(
    checked: CheckedClaim, by_number: Mapping[int, _Source], language: str | None
) -> tuple[int, ...]:
    """Return the uncited sources that contain the claim's wording, or at least all of the values that the cited sources
    lack."""
    cited = checked.claim.citations
    if not checked.is_unsupported or not any(number in by_number for number in cited):
        return ()
    others = [source for number, source in by_number.items() if number not in cited]
    shares = {source.number: len(source.wording.covered(checked.claim.text).words) for source in others}
    nearest = sorted((source for source in others if shares[source.number]), key=lambda source: -shares[source.number])
    results = [
        _check(replace(checked.claim, citations=(source.number,)), {source.number: source}, language)
        for source in nearest[:_MAX_OTHERS]
    ]
    fitting = [source for source in results if source.verdict == "found"] or [
        source for source in results if checked.missing and source.verdict == "partly" and not source.missing
    ]
    return tuple(source.claim.citations[0] for source in fitting)


def _coverage(claim: str, sources: Sequence[_Source]) -> tuple[int, int, list[Evidence]]:
    """Return the number of content words in the claim, how many of them occur close together in a source, and the
    sentences that contain most of them, best first."""
    coverages = [coverage.wording.covered(claim) for coverage in sources]
    sentences = sorted(
        (sentence for coverage in coverages for sentence in coverage.evidence),
        key=lambda coverage: (-coverage.score, coverage.number, coverage.start),
    )
    together = frozenset[str]().union(*(coverage.words for coverage in coverages))
    return max((coverage.word_count for coverage in coverages), default=0), len(together), sentences


def _evidence(
    claim: str, language: str | None, sentences: Sequence[Evidence], sources: Sequence[_Source]
) -> Evidence | None:
    """Return the sentence with the most of the claim's values. Ties are broken by its words."""
    if len(claim) > _MAX_CLAIM:
        return next(iter(sentences), None)
    by_number = {sentence.number: sentence for sentence in sources}
    best, fewest = None, len(claim) + 1
    for sentence in sentences[:_MAX_SENTENCES]:
        lacking = compare_values(
            claim, language, [by_number[sentence.number].sentence(sentence)], with_names=False
        ).absent
        if len(lacking) < fewest:
            best, fewest = sentence, len(lacking)
        if not lacking:
            break
    return best


def _align(claim: str, language: str | None, sentences: Sequence[Evidence], sources: Sequence[_Source]) -> Alignment:
    if any(source.holdings.holds_literally(claim) for source in sources):
        return Alignment(is_verbatim=True)
    by_number = {source.number: source for source in sources}
    passages = dict.fromkeys(by_number[source.number].around(source) for source in sentences[:_MAX_ALIGNED])
    return align(claim, list(passages), language)


def _score(words: int, covered: int, values: ValueComparison, claim: str, sources: Sequence[_Source]) -> float:
    """Return the fraction of the claim's words and values that the sources contain. For a claim without words and
    values, return 1 if it occurs literally in a source."""
    if not words + values.value_count:
        return float(any(source.holdings.holds_literally(claim) for source in sources))
    return (covered + values.value_count - len(values.absent)) / (words + values.value_count)


def _split_names(values: ValueComparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return values and names that differ from the sources, and names that are only absent. The first word of a
    sentence is not necessarily a name."""
    names = [name for name in values.names if not name.is_first]
    differing = [(name.start, name.text) for name in names if name.is_replaced]
    return _texts(sorted((*values.absent, *differing))), _texts(sorted((name.start, name.text) for name in names))


def _texts(values: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for _, text in values))


def _verdict(score: float, differing: tuple[str, ...], absent: tuple[str, ...]) -> Verdict:
    if differing:
        return "value_mismatch"
    if score < PARTLY:
        return "not_found"
    return "found" if score >= FOUND and not absent else "partly"


def primary(language: str | None) -> str | None:
    """Return the primary subtag of a language tag: "de" of "de-AT"."""
    return language.split("-")[0].lower() if language else None


def is_across(language: str | None, sources: Sequence[str | None]) -> bool:
    """Return whether the answer's language differs from that of every source. Return False if any of these languages is
    unknown."""
    return language is not None and all(source is not None and source != language for source in sources)


ALIKE = 0.85
"""Minimum cosine of a claim and a sentence in a different language for the sentence to support the claim, measured for
the packaged embedder (bench grounding)."""
_MAX_FOREIGN_SENTENCES = 12
"""Maximum number of embedded sentences per source. Embedding each takes a tenth of a second."""
_MAX_CLAIMS = 8
"""Maximum number of embedded claims per answer."""


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
    """Return the claims in order. A cross-lingual `not_found` claim is raised to `partly` if a sentence has a similar
    meaning, and that sentence becomes its evidence.

    Nothing else changes: only matching wording counts as `found`, and a different number remains a mismatch. Only the
    first eight such claims are compared. Raise the embedder's errors.
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
    """Return whether `lift_by_meaning` would compare each of these claims with each sentence of these sources."""
    if len(claims) > _MAX_CLAIMS:
        return False
    return all(len(tuple(sentence_spans(source.text, source.language))) <= _MAX_FOREIGN_SENTENCES for source in sources)


def _cross_lingual_claims(
    checked: Sequence[CheckedClaim], sources: Sequence[SourceText], language: str | None
) -> list[tuple[int, list[SourceText]]]:
    """Return the indices of the claims to compare, each with its cited sources. This is slow for long sources."""
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
    return tuple(islice(sentence_spans(source.text, source.language), _MAX_FOREIGN_SENTENCES))


async def _lift(claim: CheckedClaim, embedded: Sequence[_EmbeddedSource], embedder: Embedder) -> CheckedClaim:
    vector = await embedder.query(claim.claim.text)
    best: tuple[float, Evidence | None] = (ALIKE, None)
    for source in embedded:
        for (start, end), nearness in zip(source.spans, (source.vectors @ vector).tolist(), strict=True):
            if nearness >= best[0]:
                evidence = Evidence(source.source.number, source.source.text[start:end], start, end, claim.score)
                best = (nearness, evidence)
    return claim if best[1] is None else replace(claim, verdict="partly", evidence=best[1])
