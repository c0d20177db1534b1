"""Runs of the example agent with a scripted model, and their events."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from corpus.text.sentences import sentences
from examples.agent import Event, EventType, create_rag_agent
from tests.doubles.agent_model import AgentModel, Message, Turn, calls, gives_the_answer, results, synthesizes

STEPS = [
    {"description": "Find passages", "tool": "rag_semantic_search", "acceptance": "passages that fit"},
    {"description": "Write the answer", "tool": "rag_synthesize", "acceptance": "an answer with citations"},
]
LEFT_OUT = 10
"""Step between the citations that are omitted by the model that writes its answer itself."""
LEAST_WORDS = 5


@dataclass
class Told:
    """One run: its events, each with the seconds since the start of the run, and the total duration."""

    events: list[Event] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    seconds: float = 0.0
    drafts: list[str] = field(default_factory=list)

    def of(self, kind: EventType) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type is kind]

    def results(self, tool: str) -> list[Mapping[str, Any]]:
        """Return the results of a tool, in order."""
        return [one["result"] for one in self.of(EventType.TOOL_RESULT) if one["tool"] == tool]

    def result(self, tool: str) -> Mapping[str, Any]:
        """Return the last result of a tool, or an empty mapping if there is none."""
        return ({}, *self.results(tool))[-1]

    def waited(self, tool: str) -> list[float]:
        """Return the seconds from each call of a tool to its result."""
        pairs = zip(self.events, self.events[1:], self.at, self.at[1:], strict=False)
        return [
            end - begin
            for one, other, begin, end in pairs
            if one.type is EventType.ACTION and other.type is EventType.TOOL_RESULT and one.data["tool"] == tool
        ]

    @property
    def failures(self) -> list[str]:
        """Return why the run ended without an answer, and the failures of its tools."""
        ended = [one["message"] for one in self.of(EventType.ERROR)]
        failed = [one for one in self.of(EventType.TOOL_RESULT) if not one["success"]]
        return ended + [f"{one['tool']}: {one['result'].get('error')}" for one in failed]


async def run(question: str, *, writes: bool = False) -> Told:
    """Run the agent. If `writes` is True, the answer is the model's own text; otherwise, it is that of
    `rag_synthesize`."""
    told = Told()
    async with AgentModel(*_turns(question, told, writes=writes)) as model:
        with patch.dict(os.environ, model.environment), tempfile.TemporaryDirectory() as place:
            begun = time.perf_counter()
            agent = create_rag_agent("Ibid", "answers from documents", question, place)
            async for event in agent.execute():
                told.events.append(event)
                told.at.append(time.perf_counter() - begun)
            told.seconds = time.perf_counter() - begun
    return told


def _turns(question: str, told: Told, *, writes: bool) -> list[Turn]:
    plan = calls(("plan", {"query_class": "CONTENT_SEARCH", "steps": STEPS}))
    search = calls(("rag_semantic_search", {"query": question}))
    return [plan, search, _writes(told)] if writes else [plan, search, synthesizes(question), gives_the_answer]


def _writes(told: Told) -> Turn:
    """Return a turn that writes the first sentence of each passage with its citation, but omits every tenth citation.
    The second draft adds the citation to each sentence that the check reported."""

    def turn(messages: list[Message]) -> Message:
        passages = results(messages)[1]["results"]
        sent_back = str(messages[-1]["content"]) if told.drafts else ""
        said = [(_sentence(one["content"]), one["citation"]) for one in passages if one.get("content")]
        text = "\n\n".join(
            f"{sentence}." if _is_left_out(n) and sentence not in sent_back else f"{sentence} {citation}."
            for n, (sentence, citation) in enumerate(said)
            if sentence
        )
        told.drafts.append(text)
        return {"content": text}

    return turn


def _sentence(passage: str) -> str:
    """Return the first complete sentence on one line. The result is empty if there is none, as in a table."""
    lines = [line.strip() for line in passage.split("\n") if not line.startswith(("|", "#", "-"))]
    text = " ".join(lines)
    found = [text[start:end].strip() for start, end in sentences(text, None)]
    return next((one[:-1] for one in found if one.endswith(".") and len(one.split()) >= LEAST_WORDS), "")


def _is_left_out(n: int) -> bool:
    return n % LEFT_OUT == LEFT_OUT - 1
