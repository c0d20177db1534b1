"""A model's verdict on claims that keyword comparison leaves open: marked as its own, within its time limit, and never
instead of an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from corpus.generation.openai_generator import ChatEndpoint
from corpus.model_services.service import RetryPolicy
from corpus.synthesis.checking import ClaimCheck, check_claims_by_meaning
from corpus.synthesis.model_judge import ModelJudge
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import number_sources
from prompts.texts import claim_check
from tests.doubles.chat_service import MODEL, ChatService, said_to
from tests.doubles.embedding_service import answering, hanging

pytestmark = pytest.mark.anyio

SOURCE = "The company bought the old plant in 2012. Reviews are conducted annually by the manager of the plant."
PARTLY = "The company purchased the old plant in 2012 [1]."
FOUND = "The company bought the old plant in 2012 [1]."
WRONG = "The company bought the old plant in 2013 [1]."


YES = ("yes", "Yes.", "**Yes**", "ja", "supported", "1", "It follows.\nYes", "<think>Hm.</think>yes")
NO = ("no", "No, it does not.", "nein", "unsupported", "not supported", "0", "It says 2012.\nno")


@pytest.fixture
async def service() -> AsyncIterator[ChatService]:
    async with ChatService() as service:
        yield service


async def checked(service: ChatService, answer: str, *, seconds: float = 5.0) -> ClaimCheck:
    patience = RetryPolicy(whole=10, request=10, retries=0, pause=0)
    async with aclosing(ChatEndpoint(MODEL, service.base_url, service.key, patience=patience)) as endpoint:
        judge = ModelJudge(endpoint, claim_check(), seconds)
        sources = number_sources([], [Observation(SOURCE, "https://a.example/plant")])
        return await check_claims_by_meaning(answer, sources, None, judge=judge)


@pytest.mark.parametrize("reply", YES)
async def test_a_claim_that_the_model_supports_is_found_and_marked(service: ChatService, reply: str) -> None:
    service.says = lambda body: reply
    (claim,) = (await checked(service, PARTLY)).claims
    assert (claim.verdict, claim.judged_by, claim.by_words) == ("found", MODEL, "partly")


@pytest.mark.parametrize("reply", NO)
async def test_a_claim_that_the_model_does_not_support_is_not_found(service: ChatService, reply: str) -> None:
    service.says = lambda body: reply
    (claim,) = (await checked(service, PARTLY)).claims
    assert (claim.verdict, claim.judged_by) == ("not_found", MODEL)
    assert claim.missing == ("purchased (source: bought)",)


@pytest.mark.parametrize("reply", ["perhaps", "I cannot tell.", "yesterday", "nothing"])
async def test_an_unclear_reply_leaves_the_verdict_of_words_with_a_warning(service: ChatService, reply: str) -> None:
    service.says = lambda body: reply
    check = await checked(service, PARTLY)
    assert [(one.verdict, one.judged_by) for one in check.claims] == [("partly", None)]
    assert MODEL in check.warnings[0]


async def test_only_claims_that_words_leave_open_are_sent(service: ChatService) -> None:
    service.says = lambda body: "no"
    check = await checked(service, f"{FOUND} {WRONG} Bananas grow on very tall plants [1]. Reviews are nice.")
    assert service.requests == []
    assert (check.warnings, {one.judged_by for one in check.claims}) == ((), {None})


async def test_claim_and_source_are_sent_fenced_as_data(service: ChatService) -> None:
    service.says = lambda body: "yes"
    await checked(service, PARTLY)
    ((system, user),) = said_to(service)
    assert system["content"] == claim_check()
    fence, *_, last_fence = (line for line in user["content"].splitlines() if line.startswith("<<"))
    data = user["content"].split(fence)[1]
    assert fence == last_fence
    assert SOURCE in data
    assert "purchased" in data


@pytest.mark.parametrize("status", [400, 401, 429, 500])
async def test_a_failing_service_leaves_the_verdicts_of_words_with_a_warning(service: ChatService, status: int) -> None:
    service.next.extend([answering(status)] * 9)
    check = await checked(service, PARTLY)
    assert [one.verdict for one in check.claims] == ["partly"]
    assert "failed" in check.warnings[0]


async def test_a_slow_service_is_not_waited_for_beyond_the_deadline(service: ChatService) -> None:
    service.next.append(hanging)
    check = await checked(service, PARTLY, seconds=0.3)
    assert [one.verdict for one in check.claims] == ["partly"]
    assert "0.3 s" in check.warnings[0]


VERBS = (
    "purchased",
    "acquired",
    "received",
    "sold",
    "leased",
    "painted",
    "visited",
    "closed",
    "opened",
    "insured",
)


async def test_many_claims_are_sent_in_batches_and_a_slow_one_stops_the_rest(
    service: ChatService,
) -> None:
    service.says = lambda body: "yes"
    answer = " ".join(f"The company {verb} the old plant in 2012 [1]." for verb in VERBS)
    check = await checked(service, answer)
    assert {(one.verdict, one.judged_by) for one in check.claims} == {("found", MODEL)}
    assert len(service.requests) == len(VERBS)
    service.next.append(hanging)
    check = await checked(service, answer, seconds=1.0)
    verdicts = [one.verdict for one in check.claims]
    assert verdicts.count("found") == 7
    assert verdicts.count("partly") == 3
    assert "3 of 10" in check.warnings[0]
