"""rag_verify_answer: an answer that the client wrote itself, checked claim by claim."""

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
"""Tokens of a claim and of its evidence that are shown."""
MAX_SOURCES = 50
MAX_MISCITED = 5


class SourceArgument(Argument):
    citation_number: Annotated[int, Field(ge=0, le=100_000, description="N of [N] in the answer.")]
    block_id: str = ""
    text: Annotated[str, Field(max_length=20_000, description="Where it is no block.")] = ""
    url: Annotated[str, Field(max_length=2000)] = ""
    title: Annotated[str, Field(max_length=300)] = ""


class EvidenceShape(Shape):
    citation_number: int
    text: str
    citation: str
    uri: str | None = None


class ClaimShape(Shape):
    text: str
    verdict: Verdict
    citations: list[int]
    missing: list[str]
    found_in: list[int]
    evidence: EvidenceShape | None = None
    judged_by: str | None = None


class VerifiedAnswer(Answer):
    claims: Annotated[list[ClaimShape], WithJsonSchema(ROWS)] = Field(
        description="Each with text, verdict, citations, missing (values and words its sources lack), "
        "found_in (sources with it), evidence, judged_by (a model). Verdicts: found (the wording stands there, no "
        "more), partly, not_found, value_mismatch, invalid_citation, uncited."
    )
    uncited_claims: list[str]
    unsupported_claims: list[str]
    invalid_citations: list[str]
    contradictions: list[str] = Field(description="Values in which sources differ: a hint.")

    @property
    def counted(self) -> int:
        return len(self.claims)


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    async def rag_verify_answer(
        answer: Annotated[str, Field(description="Citing what is passed: [N], or (Source: file.pdf, S. 4).")],
        block_ids: Annotated[
            list[str] | None, Field(max_length=MAX_SOURCES, description="The sources, [1] first.")
        ] = None,
        sources: Annotated[
            list[SourceArgument] | None,
            Field(max_length=MAX_SOURCES, description="Instead, with numbers of their own."),
        ] = None,
    ) -> VerifiedAnswer:
        """Check an answer that you wrote from passages of the user's documents: whether each claim cites a source and
        its wording, numbers, dates and names stand there. Call it before you show the answer; correct what it names."""
        opened = await library()
        checked = await opened.verify(answer, _sources(block_ids, sources), caller_of())
        return shown(checked).showing(ToShow(answer, checked.check.claims, checked.sources, as_given=True))

    return rag_verify_answer


def _sources(block_ids: list[str] | None, sources: list[SourceArgument] | None) -> list[SourceReference]:
    """Raises InvalidRequest where neither or both are given."""
    if block_ids and sources:
        raise InvalidRequest(
            "Both block_ids and sources were passed. Pass one: block_ids in their order, or sources with numbers."
        )
    if not (block_ids or sources):
        empty = " and ".join(
            name for name, given in (("block_ids", block_ids), ("sources", sources)) if given is not None
        )
        raise InvalidRequest(
            f"{f'{empty} is empty' if empty else 'No source was passed'}, so there is nothing to check the answer "
            "against. Pass block_ids of rag_semantic_search, [1] first, or sources with a citation_number each and a "
            "block_id or a text."
        )
    if block_ids:
        return [SourceReference(n, block_id) for n, block_id in enumerate(block_ids, 1)]
    return [_own(one) for one in sources or ()]


def _own(argument: SourceArgument) -> SourceReference:
    if argument.block_id:
        return SourceReference(argument.citation_number, argument.block_id)
    if not argument.text:
        raise InvalidRequest(
            f"Source {argument.citation_number} has neither block_id nor text. Pass one of them."
        )
    return SourceReference(
        argument.citation_number,
        observation=Observation(argument.text, argument.url or None, argument.title or None),
    )


def shown(made: Verification) -> VerifiedAnswer:
    by_number = {one.citation_number: one for one in made.sources}
    start = VerifiedAnswer(
        claims=[],
        uncited_claims=_texts(one for one in made.check.claims if one.verdict == "uncited"),
        unsupported_claims=_texts(one for one in made.check.claims if one.is_unsupported),
        invalid_citations=[token_budget.shortened(one, 30) for one in made.check.invalid[:MAX_SOURCES]],
        contradictions=list(made.check.contradictions),
        warnings=[*made.warnings, *_miscited(made.check.claims)],
    )
    rows = token_budget.cut(
        [_claim(one, by_number) for one in made.check.claims], "text", token_budget.room(start)
    )
    told = (
        [f"{rows.dropped} further claims are not shown; check the answer in parts."] if rows.dropped else []
    )
    return start.model_copy(update={"claims": rows.rows, "warnings": [*start.warnings, *told]})


def _miscited(claims: Iterable[CheckedClaim]) -> list[str]:
    """Which claims stand in other sources than they cite."""
    told = (
        f"{token_budget.shortened(one.claim.text, 30)!r} cites {_listed(one.claim.citations)}, "
        f"but stands in {_listed(one.found_in)}. Cite that."
        for one in claims
        if one.found_in
    )
    return list(islice(told, MAX_MISCITED))


def _listed(numbers: Iterable[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def _texts(claims: Iterable[CheckedClaim]) -> list[str]:
    return [token_budget.shortened(one.claim.text, MAX_CLAIM) for one in claims][:MAX_SOURCES]


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
