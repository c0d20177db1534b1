"""Each claim of an answer compared with the sources that it cites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from corpus.citing.protocol import Claim
from corpus.readers.languages import language_of
from corpus.verification.alignment import Alignment, laid_along
from corpus.verification.holdings import Holdings
from corpus.verification.protocol import CheckedClaim, Evidence, SourceText, Verdict
from corpus.verification.quotations import language_of_values
from corpus.verification.values import Compared, compared
from corpus.verification.wording import Wording

FOUND = 2 / 3
"""The share of a claim's words and values from which its wording counts as standing in the source."""
PARTLY = 1 / 3
_MOST_SENTENCES = 24
"""Of all sources, that are looked at for the values of one claim."""
_MAX_ALIGNED = 4
"""Sentences, with most of its words, that a claim is laid along."""
_LONGEST_CLAIM = 2_000
"""Letters of a claim whose values are looked for in single sentences."""
_MOST_OTHERS = 3
"""Sources that a claim does not cite and that it is compared with where the cited ones do not have it."""
_LONG_ENOUGH = 100
"""Letters of a text whose language is told apart safely."""


class _Prepared:
    """A source, made ready once for all claims."""

    def __init__(self, source: SourceText, language: str | None) -> None:
        self.number = source.number
        self.language = primary(source.language) or language_of(source.text) or language
        self.holdings = Holdings(source.text, self.language)
        self._source = source

        self._sentences: dict[int, Holdings] = {}

    @cached_property
    def wording(self) -> Wording:
        return Wording(self._source, self.language)

    def around(self, one: Evidence) -> str:
        """The sentence and the next one."""
        return self._source.text[one.start : self.wording.end_of_next(one.start)]

    def sentence(self, one: Evidence) -> Holdings:
        """What a sentence of this source holds, taken apart once for all claims that it is shown for."""
        if one.start not in self._sentences:
            self._sentences[one.start] = Holdings(one.text, self.language)
        return self._sentences[one.start]


def verify(
    claims: Sequence[Claim], sources: Sequence[SourceText], language: str | None = None
) -> tuple[CheckedClaim, ...]:
    """A verdict for each claim, in order. `language` is the answer's, as far as it is known.

    A claim is compared with the sources that it cites, taken together; one that cites none of these sources with
    all of them, to show where it might stand. Takes time in proportion to the length of the sources and claims.
    A claim that is made again with the same citations is compared once.
    """
    language = primary(language) or answer_language(claims)
    prepared = {source.number: _Prepared(source, language) for source in sources}
    made: dict[tuple[object, ...], CheckedClaim] = {}
    for claim in claims:
        if _what(claim) not in made:
            checked = _checked(claim, prepared, language)
            made[_what(claim)] = replace(checked, found_in=_found_in(checked, prepared, language))
    return tuple(replace(made[_what(claim)], claim=claim) for claim in claims)


def _what(claim: Claim) -> tuple[object, ...]:
    """All of a claim that its verdict depends on."""
    return claim.text, claim.citations, claim.is_cited


def answer_language(claims: Sequence[Claim]) -> str | None:
    """The language of the claims together, None where there is too little text to tell."""
    text = " ".join(claim.text for claim in claims[:50])
    return language_of(text) if len(text) >= _LONG_ENOUGH else None


def _checked(claim: Claim, prepared: Mapping[int, _Prepared], language: str | None) -> CheckedClaim:
    cited = [prepared[number] for number in dict.fromkeys(claim.citations) if number in prepared]
    among = cited or list(prepared.values())
    asked, covered, sentences = _covered(claim.text, among)
    share = covered / asked if asked else 0.0
    language = language_of_values(claim.text, language, [one.holdings for one in among], share)
    crosses = is_across(language, [one.language for one in among]) and share < PARTLY
    values = compared(claim.text, language, [one.holdings for one in among], with_names=not crosses)
    evidence = _evidence(claim.text, language, sentences, among)
    score = _score(asked, covered, values, claim.text, among)
    differing, absent = _names_apart(values)
    verdict = _verdict(score, differing, absent)
    if verdict == "found" and not values.all_compared:
        verdict = "partly"
    laid = _laid_along(claim.text, language, sentences, among) if score >= PARTLY else Alignment()
    if laid.is_verbatim and values.all_compared and (not differing or claim.text.isupper()):
        verdict, differing, absent = "found", (), ()
    elif verdict != "value_mismatch" and laid.differences:
        verdict, absent = "partly", (*absent, *map(str, laid.differences))
    by_words: Verdict = "partly" if crosses and verdict == "not_found" else verdict
    if not cited:
        verdict = "invalid_citation" if claim.is_cited else "uncited"
    return CheckedClaim(claim, verdict, score, evidence, differing or absent, by_words)


def _found_in(
    checked: CheckedClaim, prepared: Mapping[int, _Prepared], language: str | None
) -> tuple[int, ...]:
    """The sources that a claim does not cite and that have its wording, or at least all values that the cited lack."""
    cited = checked.claim.citations
    if not checked.is_unsupported or not any(number in prepared for number in cited):
        return ()
    others = [one for number, one in prepared.items() if number not in cited]
    shares = {one.number: len(one.wording.covered(checked.claim.text).words) for one in others}
    nearest = sorted((one for one in others if shares[one.number]), key=lambda one: -shares[one.number])
    among = [
        _checked(replace(checked.claim, citations=(one.number,)), {one.number: one}, language)
        for one in nearest[:_MOST_OTHERS]
    ]
    fitting = [one for one in among if one.verdict == "found"] or [
        one for one in among if checked.missing and one.verdict == "partly" and not one.missing
    ]
    return tuple(one.claim.citations[0] for one in fitting)


def _covered(claim: str, among: Sequence[_Prepared]) -> tuple[int, int, list[Evidence]]:
    """How many content words the claim has, how many of them one of the sources has close together, and the sentences
    that have most of them, the best first."""
    found = [one.wording.covered(claim) for one in among]
    sentences = sorted(
        (sentence for one in found for sentence in one.evidence),
        key=lambda one: (-one.score, one.number, one.start),
    )
    together = frozenset[str]().union(*(one.words for one in found))
    return max((one.asked for one in found), default=0), len(together), sentences


def _evidence(
    claim: str, language: str | None, sentences: Sequence[Evidence], among: Sequence[_Prepared]
) -> Evidence | None:
    """The sentence that has most of the claim's values; words decide among those that have as many."""
    if len(claim) > _LONGEST_CLAIM:
        return next(iter(sentences), None)
    of = {one.number: one for one in among}
    best, fewest = None, len(claim) + 1
    for one in sentences[:_MOST_SENTENCES]:
        lacking = compared(claim, language, [of[one.number].sentence(one)], with_names=False).absent
        if len(lacking) < fewest:
            best, fewest = one, len(lacking)
        if not lacking:
            break
    return best


def _laid_along(
    claim: str, language: str | None, sentences: Sequence[Evidence], among: Sequence[_Prepared]
) -> Alignment:
    if any(one.holdings.holds_literally(claim) for one in among):
        return Alignment(is_verbatim=True)
    of = {one.number: one for one in among}
    near = dict.fromkeys(of[one.number].around(one) for one in sentences[:_MAX_ALIGNED])
    return laid_along(claim, list(near), language)


def _score(words: int, covered: int, values: Compared, claim: str, among: Sequence[_Prepared]) -> float:
    """The share of words and values; of a claim that has neither, whether it stands there letter for letter."""
    if not words + values.asked:
        return float(any(one.holdings.holds_literally(claim) for one in among))
    return (covered + values.asked - len(values.absent)) / (words + values.asked)


def _names_apart(values: Compared) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What differs from the sources, and the names that they merely lack; the first word of a sentence may be any."""
    names = [name for name in values.names if not name.is_first]
    differing = [(name.start, name.text) for name in names if name.is_replaced]
    return _texts(sorted((*values.absent, *differing))), _texts(
        sorted((name.start, name.text) for name in names)
    )


def _texts(values: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for _, text in values))


def _verdict(score: float, differing: tuple[str, ...], absent: tuple[str, ...]) -> Verdict:
    if differing:
        return "value_mismatch"
    if score < PARTLY:
        return "not_found"
    return "found" if score >= FOUND and not absent else "partly"


def primary(language: str | None) -> str | None:
    """The language of a tag, without its region: "de" of "de-AT"."""
    return language.split("-")[0].lower() if language else None


def is_across(language: str | None, sources: Sequence[str | None]) -> bool:
    """Whether the answer is in another language than all of its sources, as far as is known."""
    return language is not None and all(one is not None and one != language for one in sources)
