"""A name or a description that matches several documents: the user is asked, and the call continues with the choice.
Whatever the client answers, nothing is shown that the caller may not read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from corpus.access import Caller
from tests.answers import documents_in
from tests.doubles.client_model import ClientModel
from tests.doubles.user import (
    User,
    accepts_without_a_form,
    after,
    cancels,
    chooses,
    declines,
    fails,
    fills_in_nothing,
    hangs,
)
from tests.server.desk import Desk, answer_in, failure_in, manual, passage

pytestmark = pytest.mark.anyio

GET = ("rag_get_document", {"name": "report"})
SUMMARY = ("rag_synthesize", {"query": "Summarise the report"})
BOTH = pytest.mark.parametrize(("tool", "arguments"), [GET, SUMMARY])


def report(doc_id: str, department: str, **changes: Any) -> Any:
    base = manual(doc_id, title=f"Report {doc_id}", document_type="Report", department=department)
    return replace(base, **changes)


@pytest.fixture
async def reports(desk: Desk) -> Desk:
    """Three reports that everybody may read, and one that only ann may read."""
    for doc_id, department, access in (
        ("q1", "Finance", "*"), ("q2", "HR", "*"), ("q3", "IT", "*"), ("q4", "Board", "user:ann"),
    ):  # fmt: skip
        await desk.put(
            report(doc_id, department, access_control_list=(access,)),
            [passage(f"The report says that revenue of {doc_id} grew.", doc_id=doc_id)],
        )
    return desk


async def with_user(desk: Desk, era: str, user: User, tool: str, arguments: dict[str, Any], **more: Any) -> Any:
    async with desk.client(era, elicitation_callback=user, **more) as client:
        return await client.call_tool(tool, arguments)


def shown(result: Any) -> set[str]:
    """Return the ids of the documents in an answer."""
    answer = answer_in(result)
    return {answer["document"]["doc_id"]} if "document" in answer else documents_in(answer)


@BOTH
async def test_the_call_continues_with_the_choice(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    user = User(chooses("q2"))

    assert shown(await with_user(reports, era, user, tool, arguments)) == {"q2"}

    (form,) = user.forms
    assert user.choices == [
        "1. Report q1 (q1.pdf, 2026-03-31, Finance)",
        "2. Report q2 (q2.pdf, 2026-03-31, HR)",
        "3. Report q3 (q3.pdf, 2026-03-31, IT)",
    ]
    assert all(choice in form.message for choice in user.choices)


@BOTH
async def test_a_caller_with_more_rights_has_more_options(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    reports.caller = Caller(user_id="ann")
    user = User(chooses("q4"))

    assert shown(await with_user(reports, era, user, tool, arguments)) == {"q4"}
    assert len(user.choices) == 4


@pytest.mark.parametrize("said", ["3", 3, "3. Report q3 (q3.pdf, 2026-03-31, IT)"])
async def test_a_number_or_a_title_is_an_answer_too(reports: Desk, era: str, said: Any) -> None:
    assert shown(await with_user(reports, era, User(chooses(said)), *GET)) == {"q3"}


@BOTH
@pytest.mark.parametrize(("act", "said"), [(declines, "decline"), (cancels, "cancel")])
async def test_a_user_who_chooses_nothing_is_reported_with_the_options(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any], act: Any, said: str
) -> None:
    failure = failure_in(await with_user(reports, era, User(act), tool, arguments))

    assert failure["type"] == "AmbiguousDocument"
    assert f"No choice came back ({said}): the user or the client declined." in failure["error"]
    assert failure["hints"][1] == "2. Report q2 (q2.pdf, 2026-03-31, HR), doc_id q2"


@BOTH
async def test_a_client_that_shows_no_forms_gets_the_same_options(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    failure = await reports.failure(tool, era, **arguments)

    assert failure["type"] == "AmbiguousDocument"
    assert [hint[:12] for hint in failure["hints"]] == ["1. Report q1", "2. Report q2", "3. Report q3"]


@BOTH
@pytest.mark.parametrize("said", ["nonsense", "", 0, 4, True, 1.5, None, ["q1"], "more", "x" * 10_000])
async def test_an_answer_outside_the_options_is_reported(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any], said: Any
) -> None:
    failure = failure_in(await with_user(reports, era, User(chooses(said)), tool, arguments))

    assert failure["type"] == "AmbiguousDocument"
    assert "none of the options" in failure["error"]
    assert len(failure["hints"]) == 3


@BOTH
async def test_a_forged_choice_does_not_reveal_whether_a_document_exists(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    hidden = failure_in(await with_user(reports, era, User(chooses("q4")), tool, arguments))
    missing = failure_in(await with_user(reports, era, User(chooses("q9")), tool, arguments))

    assert hidden == missing
    assert "q4" not in str(hidden)


@BOTH
@pytest.mark.parametrize("act", [fills_in_nothing, accepts_without_a_form])
async def test_an_unfilled_form_is_reported(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any], act: Any
) -> None:
    failure = failure_in(await with_user(reports, era, User(act), tool, arguments))

    assert failure["type"] == "AmbiguousDocument"


@BOTH
@pytest.mark.parametrize("act", [fails, hangs])
async def test_a_client_that_cannot_ask_after_all_gets_an_answer_anyway(
    reports: Desk, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any], act: Any
) -> None:
    monkeypatch.setattr("tools.elicitation.MAX_WAIT", 0.2)

    failure = failure_in(await with_user(reports, "legacy", User(act), tool, arguments))

    assert failure["type"] == "AmbiguousDocument"
    assert "own words" not in str(failure)
    assert len(failure["hints"]) == 3


def removal(desk: Desk, *doc_ids: str) -> Callable[[], Awaitable[None]]:
    async def change() -> None:
        for doc_id in doc_ids:
            await desk.index.remove(doc_id)

    return change


def hiding(desk: Desk, *doc_ids: str) -> Callable[[], Awaitable[None]]:
    async def change() -> None:
        for doc_id in doc_ids:
            await desk.index.update(report(doc_id, "HR", access_control_list=("user:ann",)))

    return change


@BOTH
@pytest.mark.parametrize("change", [removal, hiding])
@pytest.mark.parametrize("gone", [("q2",), ("q1", "q2"), ("q1", "q2", "q3")])
async def test_a_choice_that_is_gone_when_it_arrives_is_never_replaced_by_another(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any], change: Any, gone: tuple[str, ...]
) -> None:
    user = User(after(change(reports, *gone), chooses("q2")))

    failure = failure_in(await with_user(reports, era, user, tool, arguments))

    assert failure["type"] in ("AmbiguousDocument", "DocumentNotFound", "InvalidRequest")
    assert "HR" not in str(failure)


@BOTH
async def test_options_that_changed_meanwhile_are_offered_again(
    reports: Desk, tool: str, arguments: dict[str, Any]
) -> None:
    user = User(after(removal(reports, "q3"), chooses("q2")), chooses("q2"))

    assert shown(await with_user(reports, "auto", user, tool, arguments)) == {"q2"}
    assert len(user.forms) == 2


@BOTH
async def test_a_choice_is_accepted_even_if_it_is_the_only_one_left(
    reports: Desk, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    user = User(after(removal(reports, "q1", "q3"), chooses("q2")))

    assert shown(await with_user(reports, era, user, tool, arguments)) == {"q2"}


async def test_more_than_ten_options_must_be_narrowed_down(reports: Desk, era: str) -> None:
    for n in range(10, 20):
        await reports.put(report(f"r{n}", "IT"), [passage("Text.", doc_id=f"r{n}")])
    user = User(chooses("more"))

    failure = failure_in(await with_user(reports, era, user, *GET))

    assert len(user.choices) == 11
    assert "narrow it down" in user.choices[-1]
    assert "more of its name" in failure["error"]
    assert len(failure["hints"]) == 11
    assert failure["hints"][-1].startswith("3 more")


async def test_otherwise_identical_documents_are_distinguished_by_their_ids(desk: Desk, era: str) -> None:
    for doc_id in ("a1", "a2"):
        await desk.put(report(doc_id, "IT", title="Report", filename="report.pdf"), [passage("Text.", doc_id=doc_id)])
    user = User(chooses("a2"))

    assert shown(await with_user(desk, era, user, *GET)) == {"a2"}
    assert user.choices == [f"{n}. Report (report.pdf, 2026-03-31, id a{n})" for n in (1, 2)]


async def test_a_title_adds_no_picture_to_the_question(desk: Desk, era: str) -> None:
    title = "Report ![x](https://evil.example/x.png)\n\n# Heading"
    for doc_id in ("a1", "a2"):
        await desk.put(report(doc_id, doc_id, title=title), [passage("Text.", doc_id=doc_id)])
    user = User(chooses("a2"))

    await with_user(desk, era, user, *GET)

    assert "![x]" not in user.forms[0].message
    assert "https://evil" not in user.forms[0].message
    assert len(user.forms[0].message.splitlines()) == 3


async def test_the_users_choice_and_the_clients_model_share_one_call(reports: Desk, era: str) -> None:
    user, model = User(chooses("q2")), ClientModel("Revenue of q2 grew [1].")

    answer = answer_in(await with_user(reports, era, user, *SUMMARY, model=model))

    assert (len(user.forms), len(model.requests)) == (1, 1)
    assert "revenue of q2" in model.prompts[0]
    assert "revenue of q1" not in model.prompts[0]
    assert answer["mode"] == "llm"
    assert documents_in(answer) == {"q2"}


async def test_the_model_is_not_asked_before_or_without_a_choice(reports: Desk, era: str) -> None:
    model = ClientModel("It grew [1].")

    failure = failure_in(await with_user(reports, era, User(declines), *SUMMARY, model=model))

    assert failure["type"] == "AmbiguousDocument"
    assert model.requests == []


async def test_a_choice_removed_while_the_model_writes_is_not_replaced_by_another(reports: Desk, era: str) -> None:
    async def writes(params: Any) -> Any:
        await removal(reports, "q2", "q1")()
        return await ClientModel("It grew [1].")(None, params)

    result = await with_user(reports, era, User(chooses("q2")), *SUMMARY, model=ClientModel(writes))

    if result.is_error:
        assert failure_in(result)["type"] in ("DocumentNotFound", "InvalidRequest")
    else:
        assert answer_in(result)["sources"] == []


@pytest.mark.parametrize(
    ("query", "more"),
    [
        ("What does the report say about revenue?", {}),
        ("How did revenue grow?", {}),
        ("Summarise the reports", {}),
        ("Summarise the HR report", {}),
        ("Summarise the report from 1999", {}),
        ("Summarise the contract", {}),
        ("Summarise the report", {"filters": {"doc_id": ["q1", "q2"]}}),
        ("Summarise the report", {"filters": {"department": "HR"}}),
        ("Summarise the report", {"block_ids": ["q1-p1-1"]}),
        ("Summarise the report", {"history": [{"role": "user", "text": "What says report q1?"}]}),
    ],
)
async def test_nobody_is_asked_if_it_is_clear_or_no_document_is_requested(
    reports: Desk, query: str, more: dict[str, Any]
) -> None:
    user = User(declines)

    result = await with_user(reports, "auto", user, "rag_synthesize", {"query": query, **more})

    assert not result.is_error
    assert user.forms == []


async def test_the_user_is_asked_for_the_missing_fact_that_distinguishes_the_documents(reports: Desk, era: str) -> None:
    await reports.put(report("q2b", "HR", document_date="2024-05-01T00:00:00+00:00"), [passage("Old.", doc_id="q2b")])
    user = User(chooses("q2b"))

    result = await with_user(reports, era, user, "rag_synthesize", {"query": "Fasse bitte den Bericht der HR zusammen"})

    assert shown(result) == {"q2b"}
    assert user.choices == [
        "1. Report q2 (q2.pdf, 2026-03-31)",
        "2. Report q2b (q2b.pdf, 2024-05-01)",
    ]


async def test_a_german_question_gets_a_german_form(reports: Desk, era: str) -> None:
    user = User(chooses("q2"))

    await with_user(reports, era, user, "rag_synthesize", {"query": "Fasse bitte den Bericht zusammen"})

    assert user.forms[0].message.startswith("Welches Dokument ist gemeint? 3 kommen in Frage.\n1. Report")
    assert user.forms[0].requested_schema["properties"]["document"]["title"] == "Dokument"


async def test_the_log_counts_the_question_and_contains_no_word_of_it(reports: Desk) -> None:
    with capture_logs() as lines:
        await with_user(reports, "auto", User(chooses("q2")), *GET)

    calls = [line for line in lines if line["event"] == "tool.call"]
    assert [(line["outcome"], line.get("asks_user")) for line in calls] == [("AsksClient", 1), ("ok", None)]
    assert [line["options"] for line in lines if line["event"] == "asking.asked"] == [3]
    assert "Finance" not in str(calls)
