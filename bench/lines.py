"""The numbers of the bench `retrieval` as uniform lines, and two ways to print them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.measures import Rank, hit_at
from bench.methods import PLAIN
from bench.parts import CHECK
from bench.questions import SETS, Question
from bench.tables import table
from corpus.evaluation.metrics import Interval, difference

OURS = "both"
CUTS = (1, 5, 10)


@dataclass(frozen=True)
class Line:
    """A line. `thing` names the table, and `group` the set of questions. `values` maps each method to its value. `gain`
    is our value minus that of the plain method."""

    thing: str
    group: str
    count: int
    measure: str
    values: Mapping[str, float]
    gain: Interval | None = None


@dataclass
class Ranks:
    """The questions, and the rank of the right answer to each, by method."""

    questions: list[Question] = field(default_factory=list)
    by_method: dict[str, list[Rank]] = field(default_factory=dict)

    def add(self, question: Question, ranks: Mapping[str, Rank]) -> None:
        self.questions.append(question)
        for method, rank in ranks.items():
            self.by_method.setdefault(method, []).append(rank)

    def lines(self, thing: str, label: str = "hit", kind: str = "exact", cuts: Sequence[int] = CUTS) -> list[Line]:
        """Return, for each set and for all sets pooled, the fraction of questions whose rank of this kind is within
        each cut. The rank within one page counts only questions that are answered by pages."""
        lines = []
        for group, places in self._groups(lambda asked: kind != "within_one" or not asked.patterns).items():
            for cut in cuts:
                ranks = {method: [getattr(ranks[n], kind) for n in places] for method, ranks in self.by_method.items()}
                values = {method: hit_at(mine, cut) for method, mine in ranks.items()}
                gain = _gain(ranks[OURS], ranks[PLAIN], cut) if PLAIN in ranks else None
                lines.append(Line(thing, group, len(places), f"{label}@{cut}", values, gain))
        return lines

    def _groups(self, counts: Callable[[Question], bool]) -> dict[str, list[int]]:
        """Return the indices of the questions that count, by group. Held-out sets do not belong to any other group."""
        asked = {n: question.set_name for n, question in enumerate(self.questions) if counts(question)}
        sets = list(dict.fromkeys(asked.values()))
        groups = {name: [n for n, own in asked.items() if own == name] for name in sets}
        development = [n for n, own in asked.items() if own in SETS]
        pooled = [n for n, own in asked.items() if own not in CHECK]
        if 0 < len(development) < len(pooled):
            groups["development"] = development
        return {**groups, "pooled": pooled} if len(set(sets) - set(CHECK)) > 1 else groups


def _gain(ours: Sequence[int | None], theirs: Sequence[int | None], cut: int) -> Interval | None:
    within = [[float(rank is not None and rank <= cut) for rank in side] for side in (ours, theirs)]
    return difference(*within)


def by_method(lines: Sequence[Line]) -> str:
    """Return a table for each thing, with a column for each method."""
    parts = []
    for thing, mine in _things(lines).items():
        gains = any(line.gain for line in mine)
        head = ["set", "questions", "measure", *mine[0].values, *([f"{OURS} - {PLAIN}"] if gains else [])]
        rows = [
            [line.group, str(line.count), line.measure, *(f"{value:.2f}" for value in line.values.values())]
            + ([_interval(line.gain)] if gains else [])
            for line in mine
        ]
        parts.append(f"## {thing}\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def by_set(lines: Sequence[Line]) -> str:
    """Return a table for each thing, with a column for each set. It contains the value of the first ranking, and the
    gain or loss of each other ranking."""
    parts = []
    for thing, mine in _things(lines).items():
        groups = {line.group: line.count for line in mine}
        head = ["measure", "ranking", *(f"{group} ({count})".strip() for group, count in groups.items())]
        rows = []
        for measure in dict.fromkeys(line.measure for line in mine):
            columns = [line.values for line in mine if line.measure == measure]
            default, *others = columns[0]
            rows.append([measure, default, *(f"{values[default]:.3f}" for values in columns)])
            for other in others:
                rows.append(["", other, *(_signed(values[other] - values[default]) for values in columns)])
        parts.append(f"## {thing}\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def _things(lines: Sequence[Line]) -> dict[str, list[Line]]:
    return {
        thing: [line for line in lines if line.thing == thing] for thing in dict.fromkeys(line.thing for line in lines)
    }


def _signed(number: float) -> str:
    return f"{number:+.3f}" if abs(number) >= 0.0005 else "="


def _interval(gain: Interval | None) -> str:
    if gain is None:
        return ""
    if gain.low is None or gain.high is None:
        return f"{gain.mean:+.2f}"
    return f"{gain.mean:+.2f} [{gain.low:+.2f}, {gain.high:+.2f}]"
