"""One evaluation, or two side by side, with everything that a report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from corpus.evaluation.measures import NAMES, Comparison, Measurement, comparisons, measurements
from corpus.evaluation.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Run:
    """`settings` are those that differ from the environment, as NAME to value. `unknown` are document names in the
    questions that no readable document has."""

    outcomes: tuple[Outcome, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The settings as a label."""
        return " ".join(f"{name}={value}" for name, value in self.settings.items()) or "as set"

    @property
    def measured(self) -> list[Measurement]:
        """All measures of this run."""
        return measurements(self.outcomes)

    @property
    def drafts(self) -> int:
        """The number of drafts among the questions."""
        return sum(outcome.question.draft for outcome in self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The questions that ended in an error."""
        return tuple(outcome for outcome in self.outcomes if outcome.failure)


MAX_NAMES = 5
"""Unknown document names that a note lists."""


def notes(runs: Sequence[Run]) -> list[str]:
    """Caveats about the numbers."""
    sentences = []
    if runs[0].drafts:
        sentences.append(
            f"{runs[0].drafts} of the questions are drafts that a program made. Review them, and remove "
            '"draft" from the good ones, before you rely on these numbers.'
        )
    alike = len({run.unknown for run in runs}) == 1
    for run in runs[:1] if alike else runs:
        if run.unknown:
            names = ", ".join(run.unknown[:MAX_NAMES])
            more = len(run.unknown) - MAX_NAMES
            sentences.append(
                f"The index has no document that the questions call {names}{f' and {more} more' if more > 0 else ''}"
                f"{'' if alike else f' ({run.name})'}: those questions count as not found. `ibid list` shows the names."
            )
    for run in runs:
        of_run = f" ({run.name})" if len(runs) > 1 else ""
        if run.failures:
            sentences.append(f"{len(run.failures)} questions ended in an error{of_run}; they are named below.")
    return sentences


def difference(runs: Sequence[Run]) -> list[Comparison]:
    """The second run minus the first; empty for a single run."""
    return comparisons(runs[0].outcomes, runs[1].outcomes) if len(runs) > 1 else []


APART = (
    "Questions as 6, 5 (4): 6 bear on the measure with the first setting, 5 with the second, 4 with both. The "
    "difference is over those 4 alone, so it is not the difference of the two means."
)


def bearing(rows: Sequence[Measurement | None], comparison: Comparison | None) -> str:
    """The number of questions that bear on a measure: per run, and in both where that differs; `APART` explains it."""
    counts = [each.count if each else 0 for each in rows]
    both = comparison.count if comparison else 0
    if len(counts) == 1 or {*counts, both} == {both}:
        return str(counts[0])
    return f"{', '.join(map(str, counts))} ({both})"


def below(run: Run, floors: Mapping[str, float]) -> list[str]:
    """The measures of a run that miss their floor, each as a sentence. A measure without questions misses too."""
    rows = {row.measure.name: row for row in run.measured}
    misses = []
    for name in NAMES:
        if name not in floors:
            continue
        floor, row = floors[name], rows.get(name)
        if row is None:
            misses.append(f"{name}: no question bears on it")
        elif row.measure.better == "higher" and row.interval.mean < floor:
            misses.append(f"{name}: {row.interval.mean:.3f} is below {floor:g}")
        elif row.measure.better == "lower" and row.interval.mean > floor:
            misses.append(f"{name}: {row.interval.mean:.3f} is above {floor:g}")
    return misses


def as_json(runs: Sequence[Run]) -> dict[str, object]:
    """All numbers of an evaluation, for programs."""
    return {
        "questions": len(runs[0].outcomes),
        "drafts": runs[0].drafts,
        "runs": [
            {
                "settings": dict(run.settings),
                "unknown_documents": list(run.unknown),
                "measures": {row.measure.name: _numbers(row) for row in run.measured},
                "outcomes": [_outcome(outcome) for outcome in run.outcomes],
            }
            for run in runs
        ],
        "difference": {
            row.measure.name: {"questions": row.count, **asdict(row.difference)} for row in difference(runs)
        },
    }


def _numbers(row: Measurement) -> dict[str, object]:
    times = {"median": row.median, "p95": row.p95} if row.measure.unit == "ms" else {}
    return {"questions": row.count, **asdict(row.interval), **times}


def _outcome(outcome: Outcome) -> dict[str, object]:
    return {
        "id": outcome.question.id,
        "question": outcome.question.question,
        "page_rank": outcome.ranks.page,
        "document_rank": outcome.ranks.document,
        "first": list(outcome.first),
        "search_ms": outcome.search_milliseconds,
        "answer": asdict(outcome.written) if outcome.written else None,
        "failure": outcome.failure,
    }
