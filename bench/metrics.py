"""The success metrics of the product, as far as a machine can measure them: `python -m bench metrics [--write]`.

The example agent answers questions over the development corpora with a scripted model that plans, searches, synthesizes
and verifies; each run starts a server of its own. So what a model would decide (which tool, when to ask) is the
script's, and what is measured is what the server does with it. Another script writes answers itself and leaves out
every tenth citation, to see what the check makes of it.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import numpy as np

from bench.corpus_index import ingested
from bench.questions import Question, corpora, questions
from bench.reports import keep
from bench.tables import table
from examples.agent import Event, EventType, create_rag_agent
from tests.doubles.agent_model import AgentModel, Message, Turn, calls, gives_the_answer, results

COMMAND = "python -m bench metrics --write"
RESULTS = Path(__file__).with_name("results") / "metrics.md"
EVERY = 3
"""Each third question of the development corpora."""
STEPS = [
    {"description": "Find passages", "tool": "rag_semantic_search", "acceptance": "passages that fit"},
    {"description": "Write the answer", "tool": "rag_synthesize", "acceptance": "an answer with citations"},
]
LEFT_OUT = 10
"""One citation in so many is left out by the model that writes itself."""


@dataclass
class Told:
    """One run: its events, how long it took from its start to its end, and to the first event."""

    events: list[Event] = field(default_factory=list)
    seconds: float = 0.0
    started: float = 0.0

    def of(self, kind: EventType) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type is kind]

    def result(self, tool: str) -> Mapping[str, Any]:
        """The last one of a tool, empty where there is none."""
        found = [one["result"] for one in self.of(EventType.TOOL_RESULT) if one["tool"] == tool]
        return found[-1] if found and isinstance(found[-1], dict) else {}


async def main(every: int, *, write: bool) -> None:
    folder = corpora()
    index = await ingested(folder)
    asked = questions(folder)[::every]
    with patch.dict(os.environ, _settings(index)):
        runs = [await _run(one) for one in asked]
        wrote = [await _run(one, writes=True) for one in asked[::EVERY]]
    text = _report(runs, wrote)
    print(text)
    if write:
        keep(RESULTS, f"# Success metrics\n\n{text}\n", COMMAND)


def _settings(index: Path) -> dict[str, str]:
    return {"RAG_DATA_DIR": str(index.absolute()), "RAG_LOG_LEVEL": "WARNING"}


async def _run(question: Question, *, writes: bool = False) -> Told:
    told = Told()
    async with AgentModel(*_turns(question.text, writes=writes)) as model:
        with patch.dict(os.environ, model.environment), tempfile.TemporaryDirectory() as place:
            begun = time.perf_counter()
            agent = create_rag_agent("Ibid", "answers from documents", question.text, place)
            async for event in agent.execute():
                told.started = told.started or time.perf_counter() - begun
                told.events.append(event)
            told.seconds = time.perf_counter() - begun
    return told


def _turns(question: str, *, writes: bool) -> list[Turn]:
    plan = calls(("plan", {"query_class": "CONTENT_SEARCH", "steps": STEPS}))
    search = calls(("rag_semantic_search", {"query": question}))
    return [plan, search, _own_words] if writes else [plan, search, _synthesizes(question), gives_the_answer]


def _synthesizes(question: str) -> Turn:
    def turn(messages: list[Message]) -> Message:
        blocks = [one["block_id"] for one in results(messages)[-1]["results"]]
        return calls(("rag_synthesize", {"query": question, "block_ids": blocks}))(messages)

    return turn


def _own_words(messages: list[Message]) -> Message:
    """The first sentence of each passage with its citation, every tenth without: an answer that a model wrote."""
    found = json.loads([one["content"] for one in messages if one["role"] == "tool"][1])["results"]
    said = [(one["content"].split(". ")[0].strip(), one["citation"]) for one in found if one.get("content")]
    text = [
        sentence if n % LEFT_OUT == LEFT_OUT - 1 else f"{sentence} {citation}"
        for n, (sentence, citation) in enumerate(said)
    ]
    return {"content": ".\n\n".join(text)}


def _report(runs: Sequence[Told], wrote: Sequence[Told]) -> str:
    tools = [one for run in runs for one in run.of(EventType.TOOL_RESULT)]
    answers = [run.result("rag_synthesize") for run in runs]
    pictured = [one for one, run in zip(answers, runs, strict=True) if _has_figures(run)]
    cited = [one for one in answers if one.get("sources")]
    done = [run for run in runs if run.of(EventType.COMPLETE)]
    claims = [_claims(run) for run in wrote]
    rows = [
        ["multimodal responses, where figures exist", "0.6 at least",
         _share([("![" in one.get("answer", "")) for one in pictured])],
        ["citation accuracy: answers whose every citation names its source", "1.0",
         _share([not one["invalid_citations"] and not one["unsupported_claims"] for one in cited])],
        ["tool calls that succeed", "0.95 at least", _share([one["success"] for one in tools])],
        ["runs in which the user is asked", "under 0.2", _share([bool(run.of(EventType.ASK_USER)) for run in runs])],
        ["plans completed without a person", "0.8 at least", _share([_completed(run) for run in runs])],
        ["end to end, seconds (the model's own time is none)", "under 10", _times([run.seconds for run in done])],
        ["start of agent and server to the first event, seconds", "under 1", _times([run.started for run in runs])],
        ["claims that a model left without a citation", "—", _part(claims, "left out")],
        ["of them neither named nor marked by the check", "under 0.05 of all", _part(claims, "unnoticed")],
    ]  # fmt: skip
    what = (
        f"{len(runs)} questions, and {len(wrote)} answers of the model's own; load {os.getloadavg()[0]:.1f}"
    )
    return f"{what}\n\n{table(['metric', 'goal', 'got'], rows)}\n\n{LEFT}"


LEFT = (
    "Search at 100,000 blocks and the start of the server alone are in the benches `search` and `startup`, "
    "composing and checking in `synthesis`. Ratings by users and how often they open a source cannot be measured by a "
    "program, and whether a real model asks back too often depends on that model."
)


def _has_figures(run: Told) -> bool:
    found = run.result("rag_semantic_search").get("results", [])
    return any(one.get("type", one.get("block_type")) == "image" for one in found)


def _completed(run: Told) -> bool:
    """Whether each step's tool gave something, and the answer came, with nobody asked."""
    ends = run.of(EventType.COMPLETE)
    steps = ends[-1]["todolist"].get("steps", []) if ends else []
    gave = {one["tool"] for one in run.of(EventType.TOOL_RESULT) if one["success"]}
    return bool(steps) and not run.of(EventType.ASK_USER) and all(one["tool"] in gave for one in steps)


def _claims(run: Told) -> dict[str, float]:
    """Of what the model wrote: how many claims, how many it left uncited, and how many of these the check missed."""
    ends = run.of(EventType.COMPLETE)
    check = (ends[-1]["verification"] or {}) if ends else {}
    verdicts = [one["verdict"] for one in check.get("claims", [])]
    text = ends[-1]["answer"] if ends else ""
    left = sum(1 for part in text.split(".\n\n") if part and "(Source:" not in part)
    named = verdicts.count("uncited")
    return {"all": len(verdicts), "left out": left, "unnoticed": max(left - named, 0)}


def _part(claims: Sequence[Mapping[str, float]], name: str) -> str:
    every = sum(one["all"] for one in claims)
    part = sum(one[name] for one in claims)
    return f"{part / every:.3f} ({part:.0f} of {every:.0f})" if every else "—"


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.3f} ({sum(values)} of {len(values)})" if values else "—"


def _times(seconds: Sequence[float]) -> str:
    return f"{np.percentile(seconds, 50):.2f} in the middle, {np.percentile(seconds, 95):.2f} at 95 %"


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--every", type=int, default=EVERY, help="take each so many-th question")
    chosen = arguments.parse_args()
    anyio.run(lambda: main(chosen.every, write=chosen.write))
