"""rag_verify_answer: check an answer that the client wrote, claim by claim."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, WithJsonSchema

from corpus.errors import InvalidRequest
from corpus.synthesis.answer import Source
from corpus.synthesis.request import Observation, SourceReference
from corpus.verification.protocol import CheckedClaim, Verdict
from tools import token_budget
from tools.protocol import ROWS, Answer, Argument, CallerOf, LibraryOf, Shape, ToolFunction, ToShow
from tools.uris import block_uri

if TYPE_CHECKING:
    from corpus.synthesis.verify import Verification

MAX_CLAIM, MAX_EVIDENCE = 80, 80
"""Maximum length, in tokens, of a claim and of its evidence in the result."""
MAX_SOURCES = 50
MAX_MISCITED = 5


class SourceArgument(Argument):
    """A source that the answer cites, which is a block or a text."""

    citation_number: Annotated[int, Field(ge=0, le=100_000, description="N of [N] in the answer.")]
    block_id: str = ""
    text: Annotated[str, Field(max_length=20_000, description="If it is not a block.")] = ""
    url: Annotated[str, Field(max_length=2000)] = ""
    title: Annotated[str, Field(max_length=300)] = ""


class EvidenceShape(Shape):
    """The passage that supports a claim best."""

    citation_number: int
    text: str
    citation: str
    uri: str | None = None


class ClaimShape(Shape):
    """A claim with its verdict."""

    text: str
    verdict: Verdict
    citations: list[int]
    missing: list[str]
    found_in: list[int]
    evidence: EvidenceShape | None = None
    judged_by: str | None = None


class VerifiedAnswer(Answer):
    """The verdicts on all claims of an answer."""

    claims: Annotated[list[ClaimShape], WithJsonSchema(ROWS)] = Field(
        description="Each with text, verdict, citations, missing (values and words its sources lack), "
        "found_in (sources with it), evidence, judged_by (a model). Verdicts: found (the source has the wording, no "
        "more), partly, not_found, value_mismatch, invalid_citation, uncited."
    )
    uncited_claims: list[str]
    unsupported_claims: list[str]
    invalid_citations: list[str]
    contradictions: list[str] = Field(description="Values in which sources differ; only a hint.")

    @property
    def counted(self) -> int:
        """See `Answer`."""
        return len(self.claims)


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    """Return the tool's function."""

    async def rag_verify_answer(
        answer: Annotated[str, Field(description="With citations of the sources: [N], or (Source: file.pdf, S. 4).")],
        block_ids: Annotated[
            list[str] | None, Field(max_length=MAX_SOURCES, description="The sources, [1] first.")
        ] = None,
        sources: Annotated[
            list[SourceArgument] | None,
            Field(max_length=MAX_SOURCES, description="Instead, with their own numbers."),
        ] = None,
    ) -> VerifiedAnswer:
        """Check an answer that you wrote from passages of the user's documents: whether each claim cites a source that
        has its wording, numbers, dates and names. Call it before you show the answer; correct the claims it reports."""
        opened = await library()
        checked = await opened.verify(answer, _sources(block_ids, sources), caller_of())
        return build_answer(checked).showing(ToShow(answer, checked.check.claims, checked.sources, as_given=True))

    return rag_verify_answer


def _sources(block_ids: list[str] | None, sources: list[SourceArgument] | None) -> list[SourceReference]:
    """Return the sources to check against. Raise InvalidRequest unless exactly one of the two arguments was passed."""
    if block_ids and sources:
        raise InvalidRequest(
            "Both block_ids and sources were passed. Pass one: block_ids in their order, or sources with numbers."
        )
    if not (block_ids or sources):
        arguments = {"block_ids": block_ids, "sources": sources}
        empty = " and ".join(name for name, value in arguments.items() if value is not None)
        raise InvalidRequest(
            f"{f'{empty} is empty' if empty else 'No source was passed'}, so there is nothing to check the answer "
            "against. Pass block_ids of rag_semantic_search, [1] first, or sources with a citation_number each and a "
            "block_id or a text."
        )
    if block_ids:
        return [SourceReference(n, block_id) for n, block_id in enumerate(block_ids, 1)]
    return [_source_of(source) for source in sources or ()]


def _source_of(argument: SourceArgument) -> SourceReference:
    if argument.block_id:
        return SourceReference(argument.citation_number, argument.block_id)
    if not argument.text:
        raise InvalidRequest(f"Source {argument.citation_number} has neither block_id nor text. Pass one of them.")
    return SourceReference(
        argument.citation_number,
        observation=Observation(argument.text, argument.url or None, argument.title or None),
    )


def build_answer(made: Verification) -> VerifiedAnswer:
    """Return the verdicts as an answer, with as many claims as fit."""
    by_number = {source.citation_number: source for source in made.sources}
    claims = made.check.claims
    start = VerifiedAnswer(
        claims=[],
        uncited_claims=_texts(claim for claim in claims if claim.verdict == "uncited"),
        unsupported_claims=_texts(claim for claim in claims if claim.is_unsupported),
        invalid_citations=[token_budget.shortened(text, 30) for text in made.check.invalid[:MAX_SOURCES]],
        contradictions=list(made.check.contradictions),
        warnings=[*made.warnings, *_miscited(claims)],
    )
    rows = token_budget.cut([_claim(claim, by_number) for claim in claims], "text", token_budget.room(start))
    warnings = start.warnings
    if rows.dropped:
        warnings = [*warnings, f"{rows.dropped} further claims are not shown; check the answer in parts."]
    return start.model_copy(update={"claims": rows.rows, "warnings": warnings})


def _miscited(claims: Iterable[CheckedClaim]) -> list[str]:
    """Return warnings about claims whose wording is not in the sources that they cite, but in others."""
    warnings = (
        f"{token_budget.shortened(checked.claim.text, 30)!r} cites {_listed(checked.claim.citations)}, "
        f"but is in {_listed(checked.found_in)}. Cite that."
        for checked in claims
        if checked.found_in
    )
    return list(islice(warnings, MAX_MISCITED))


def _listed(numbers: Iterable[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def _texts(claims: Iterable[CheckedClaim]) -> list[str]:
    return [token_budget.shortened(checked.claim.text, MAX_CLAIM) for checked in claims][:MAX_SOURCES]


def _claim(checked: CheckedClaim, sources: dict[int, Source]) -> ClaimShape:
    return ClaimShape(
        text=token_budget.shortened(checked.claim.text, MAX_CLAIM),
        verdict=checked.verdict,
        citations=list(checked.claim.citations),
        missing=[token_budget.shortened(each, 20) for each in checked.missing[:20]],
        found_in=list(checked.found_in),
        evidence=_evidence(checked, sources),
        judged_by=checked.judged_by,
    )


def _evidence(checked: CheckedClaim, sources: dict[int, Source]) -> EvidenceShape | None:
    best = checked.evidence
    source = sources.get(best.number) if best else None
    if best is None or source is None:
        return None
    return EvidenceShape(
        citation_number=best.number,
        text=token_budget.shortened(best.text, MAX_EVIDENCE),
        citation=source.citation,
        uri=block_uri(source.hit.block) if source.hit else None,
    )
