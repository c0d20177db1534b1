"""Ten questions for each set, through one agent over stdio: every answer has citations, and every citation names a
source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from examples.agent import EventType, create_rag_agent
from tests.doubles.agent_model import Message, Turn, calls, results, says, synthesizes
from tests.examples.conftest import Thinking, ingested, told

pytestmark = pytest.mark.anyio

OF_THE_SAMPLES = (
    "What are the main risks in Project Titan from Q3 reports?",
    "How much of the budget of Project Titan was spent in the third quarter?",
    "Which milestones did Project Titan reach in the second quarter?",
    "Who decided that the XYZ-200 is the standard pump?",
    "Why do only two pumps get stainless casings?",
    "How is the pump started?",
    "How is the pump stopped?",
    "What has to be checked every day?",
    "What does the first quarter's report say about the schedule?",
    "When was it decided to use one frequency converter per pump?",
)
OF_THE_CORPUS = (
    "What is the purpose of the PerksPlus program?",
    "Which activities does PerksPlus cover?",
    "How much does PerksPlus reimburse?",
    "What does PerksPlus not cover?",
    "What is the difference between Northwind Health Plus and Northwind Standard?",
    "Which plan covers emergency services?",
    "Does Northwind Standard cover mental health?",
    "What does an employee pay for each plan?",
    "Which prescription drugs are covered?",
    "Which lessons does PerksPlus pay for?",
)


ASK = ("ask_user", {"question": "What else?"})


async def all_are_answered(thinking: Thinking, work_dir: Path, questions: tuple[str, ...]) -> None:
    """Ask all questions in one run: the agent asks the user for the next question after each answer, so that one
    process answers all."""
    further = iter(questions[1:])

    async def next_one(question: str, options: Sequence[str]) -> str:
        return next(further)

    async with thinking(*turns(questions)):
        agent = create_rag_agent("Ibid", "answers from documents", questions[0], work_dir, ask=next_one, max_steps=50)
        events = [event async for event in agent.execute()]
    given = told(events, EventType.TOOL_RESULT)
    answers = [one["result"]["answer"] for one in given if one["tool"] == "rag_synthesize"]
    checks = [one["result"] for one in given if one["tool"] == "rag_verify_answer"][: len(questions)]
    assert len(answers) == len(checks) == len(questions)
    assert events[-1].type is EventType.COMPLETE
    for question, answer, check in zip(questions, answers, checks, strict=True):
        assert "(Source: " in answer, question
        assert check["claims"], question
        assert check["invalid_citations"] == check["unsupported_claims"] == [], question


def turns(questions: tuple[str, ...]) -> list[Turn]:
    each = [
        (calls(("rag_semantic_search", {"query": one})), synthesizes(one), verifies, calls(ASK)) for one in questions
    ]
    return [*[turn for four in each for turn in four][:-1], says("That was the last one.")]


def verifies(messages: list[Message]) -> Message:
    made = results(messages)[-1]
    blocks = [one["block_id"] for one in made["sources"]]
    return calls(("rag_verify_answer", {"answer": made["answer"], "block_ids": blocks}))(messages)


async def test_ten_questions_about_the_samples_are_answered_with_citations(thinking: Thinking, tmp_path: Path) -> None:
    await all_are_answered(thinking, tmp_path, OF_THE_SAMPLES)


@pytest.mark.slow
async def test_ten_questions_about_the_corpus_are_answered_with_citations(
    thinking: Thinking, corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = corpora / "northwind"
    documents = [folder / "PerksPlus.pdf", folder / "Benefit_Options.pdf"]
    for name, value in ingested(tmp_path / "index", documents).items():
        monkeypatch.setenv(name, value)
    await all_are_answered(thinking, tmp_path / "sessions", OF_THE_CORPUS)
