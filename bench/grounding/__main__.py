"""Measure how well claims are checked against their sources: `python -m bench grounding [--write] [--across]`.

Needs the development corpora. All sets are measured with the same configuration. Intervals are 95 % bootstrap intervals
over claims.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import anyio

from bench.grounding.across import across
from bench.grounding.altered import altered_table
from bench.grounding.baseline import THRESHOLD
from bench.grounding.checking import VERDICTS, OnLabels, by_kind, on_edits, on_labels
from bench.grounding.edits import KINDS
from bench.grounding.measures import DRAWS
from bench.grounding.rows import HUMAN, LANGUAGES
from bench.questions import corpora
from bench.reports import keep
from bench.tables import table

GOALS = {"attributionbench": ("balanced accuracy", 0.77), "begin": ("AUROC", 0.91), "q2_wow": ("AUROC", 0.67)}
PARTS = ("Stanford-GenSearch", "ExpertQA", "LFQA", "AttributedQA")
"""The parts of AttributionBench."""
COMMAND = "python -m bench grounding --write"
RESULTS = Path(__file__).parents[1] / "results" / "grounding.md"


async def main(*, write: bool, with_across: bool) -> None:
    parts = []
    for part in _parts(corpora()):
        print(part, end="\n\n", flush=True)
        parts.append(part)
    if with_across:
        parts += [
            "Claims in the other language than their paragraph, by the packaged embedder.",
            await across(corpora()),
        ]
        print(*parts[-2:], sep="\n\n")
    if write:
        keep(RESULTS, "\n\n".join(["# Claims checked against their sources", *parts]) + "\n", COMMAND)


def _parts(folder: Path) -> Iterator[str]:
    labelled = {name: on_labels(folder, name, DRAWS) for name in HUMAN}
    parts = {f"attributionbench, {part}": on_labels(folder, HUMAN[0], DRAWS, part) for part in PARTS}
    yield (
        "Claims that people labelled. Balanced accuracy: `found` as supported; AUROC: the score. Beside them the "
        f"share of content words found in the source, supported from {THRESHOLD} on."
    )
    yield table(
        [
            "set",
            "claims",
            "unsupported",
            "balanced accuracy",
            "of words alone",
            "AUROC",
            "of words alone",
            "CPU ms a claim",
        ],
        [_agreement(name, one) for name, one in {**labelled, **parts}.items()],
    )
    yield "\n".join(_goal(name, one) for name, one in labelled.items())
    yield "Of the claims with a verdict, the share that people call unsupported, and how many they are."
    yield table(
        ["set", *VERDICTS],
        [[name, *(f"{one.precision[verdict]} of {one.precision[verdict].count}" for verdict in VERDICTS)]
         for name, one in labelled.items()],
    )  # fmt: skip
    edited = {language: on_edits(folder, language, DRAWS) for language in LANGUAGES}
    yield "Sentences that stand in their source, with one value edited: the share called unsupported."
    yield table(
        ["language", *KINDS, "sentences", "unedited, not found"],
        [[language, *(f"{one.caught[kind]} of {one.caught[kind].count}" for kind in KINDS), str(one.sentences),
          str(one.false_alarms)] for language, one in edited.items()],
    )  # fmt: skip
    altered, true = altered_table(folder)
    yield "Sentences of documents altered by a word, eight ways: the share that is not `found`."
    yield altered
    yield "The same sentences as they stand and in another form: the share that is `found`."
    yield true
    yield "Claims made from the same paragraphs by others, by verdict. A negation that was added is to be partly found."
    yield table(
        ["language", "kind", *VERDICTS],
        [[*key, *(str(counts.get(verdict, 0)) for verdict in VERDICTS)] for key, counts in by_kind(folder).items()],
    )


def _agreement(name: str, one: OnLabels) -> list[str]:
    return [
        name,
        str(one.rows),
        f"{one.unsupported:.2f}",
        str(one.accuracy),
        str(one.plain_accuracy),
        str(one.area),
        str(one.plain_area),
        f"{one.milliseconds:.1f}",
    ]


def _goal(name: str, one: OnLabels) -> str:
    measure, goal = GOALS[name]
    value = one.area.value if measure == "AUROC" else one.accuracy.value
    return f"- {name}: {measure} {value:.3f}, goal {goal}: {'met' if value >= goal else 'NOT met'}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    parser.add_argument("--across", action="store_true", help="also claims across languages, half a minute more")
    arguments = parser.parse_args()
    anyio.run(partial(main, write=arguments.write, with_across=arguments.across))
