"""The metrics as a table: goals, results, and whether the goals are met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bench.metrics.runs import Told
from bench.tables import table
from examples.agent import EventType

FAILED = "failed: {}"
NOT_MEASURED = (
    "User ratings and click-through, how often a source is opened, cannot be measured here: both need people. "
    "How often a real model asks back, or plans what it then does not do, depends on that model; the scripted one "
    "asks nothing."
)
Row = list[str]


def report(runs: Sequence[Told], wrote: Sequence[Told], searches: Sequence[float], starts: Sequence[float]) -> str:
    answers = [run.result("rag_synthesize") for run in runs]
    shown = ["![" in one.get("answer", "") for one, run in zip(answers, runs, strict=True) if _has_figures(run)]
    right = [not (one["invalid_citations"] or one["unsupported_claims"]) for one in answers if one.get("sources")]
    worked = [one["success"] for run in (*runs, *wrote) for one in run.of(EventType.TOOL_RESULT)]
    was_asked = [bool(run.of(EventType.ASK_USER)) for run in runs]
    composing = [one for run in runs for one in run.waited("rag_synthesize")]
    rows = [
        _share("multimodal answers, where the search found figures", 0.6, shown),
        _share("citation accuracy: answers with only correct citations", 1.0, right),
        _share("tool calls that succeed", 0.95, worked),
        _share("runs in which the user is asked", 0.2, was_asked, at_most=True),
        _share("plans of the agent completed", 0.8, [_completed(run) for run in runs]),
        _times("search of 100,000 blocks, over stdio", 2, searches),
        _times("synthesis, over stdio", 3, composing),
        _times("end to end, including the start of agent and server", 10, [run.seconds for run in runs]),
        _times("start of the server to its first answer", 1, starts),
        _claims("claims that the writing model left uncited", None, wrote, lambda checks: checks[:1]),
        _claims("the same after the check sent them back", 0.05, wrote, lambda checks: checks[-1:]),
    ]
    what = f"{len(runs)} questions, and {len(wrote)} answers of the model's own; the model takes no time."
    return f"{what}\n\n{table(['metric', 'goal', 'got', 'met'], rows)}\n\n{NOT_MEASURED}"


def _has_figures(run: Told) -> bool:
    found = run.result("rag_semantic_search").get("results", [])
    return any(one["block_type"] == "image" for one in found)


def _completed(run: Told) -> bool:
    """Return whether each step's tool returned a result and the answer was given without asking the user."""
    ends = run.of(EventType.COMPLETE)
    steps = ends[-1]["todolist"].get("steps", []) if ends else []
    gave = {one["tool"] for one in run.of(EventType.TOOL_RESULT) if one["success"]}
    return bool(steps) and not run.of(EventType.ASK_USER) and all(one["tool"] in gave for one in steps)


def _share(name: str, goal: float, values: Sequence[bool], *, at_most: bool = False) -> Row:
    if not values:
        return [name, _goal(goal, at_most=at_most), "none", "—"]
    share = sum(values) / len(values)
    met = share < goal if at_most else share >= goal
    return [name, _goal(goal, at_most=at_most), f"{share:.3f} ({sum(values)} of {len(values)})", _yes(met)]


def _claims(
    name: str,
    goal: float | None,
    wrote: Sequence[Told],
    which: Callable[[list[Mapping[str, Any]]], Iterable[Mapping[str, Any]]],
) -> Row:
    """Return how often a claim has no citation, in those checks of each run that `which` selects."""
    checks = [one for run in wrote for one in which(run.results("rag_verify_answer"))]
    claims = [one["verdict"] == "uncited" for check in checks for one in check["claims"]]
    if goal is not None:
        return _share(name, goal, claims, at_most=True)
    return [name, "—", f"{sum(claims) / max(len(claims), 1):.3f} ({sum(claims)} of {len(claims)})", "—"]


def _times(name: str, goal: float, seconds: Sequence[float]) -> Row:
    if not seconds:
        return [name, f"under {goal} s", "none", "—"]
    middle, most = np.percentile(seconds, [50, 95])
    got = f"median {middle:.2f} s, p95 {most:.2f} s"
    return [name, f"under {goal} s", got, _yes(bool(most < goal))]


def _goal(goal: float, *, at_most: bool) -> str:
    return f"under {goal}" if at_most else "1.0" if goal == 1 else f"at least {goal}"


def _yes(met: bool) -> str:
    return "yes" if met else "no"
