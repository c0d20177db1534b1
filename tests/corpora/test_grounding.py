"""Agreement of verdicts with people, and the fraction of edited values that are found, on the development half of the
corpora.

All sets use one configuration. The floors are slightly below the results of `python -m bench grounding`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.grounding.checking import OnEdits, OnLabels, check, on_edits, on_labels
from bench.grounding.edits import Language
from bench.grounding.rows import HUMAN, LANGUAGES, rows

pytestmark = pytest.mark.slow

EVERY = 2
"""Sampling step: every second sentence is checked, so that this takes seconds."""


@pytest.fixture(scope="module")
def labelled(corpora: Path) -> dict[str, OnLabels]:
    return {name: on_labels(corpora, name, draws=0) for name in HUMAN}


@pytest.fixture(scope="module")
def edited(corpora: Path) -> dict[Language, OnEdits]:
    return {language: on_edits(corpora, language, draws=0, every=EVERY) for language in LANGUAGES}


@pytest.mark.parametrize(("name", "floor"), [("attributionbench", 0.73), ("begin", 0.93), ("q2_wow", 0.67)])
def test_supported_claims_score_above_unsupported_ones(labelled: dict[str, OnLabels], name: str, floor: float) -> None:
    print(f"{name}: AUROC {labelled[name].area.value:.3f}")
    assert labelled[name].area.value >= floor


@pytest.mark.parametrize(("name", "floor"), [("attributionbench", 0.68), ("begin", 0.84), ("q2_wow", 0.60)])
def test_the_found_verdict_separates_supported_claims_from_others(
    labelled: dict[str, OnLabels], name: str, floor: float
) -> None:
    print(f"{name}: balanced accuracy {labelled[name].accuracy.value:.3f}")
    assert labelled[name].accuracy.value >= floor


@pytest.mark.parametrize("name", HUMAN)
def test_people_call_a_value_mismatch_unsupported(labelled: dict[str, OnLabels], name: str) -> None:
    precision = labelled[name].precision["value_mismatch"]
    print(f"{name}: {precision.value:.3f} of {precision.count}")
    assert precision.count >= 20
    assert precision.value >= 0.83


@pytest.mark.parametrize(
    ("kind", "floor"), [("digit", 0.99), ("date", 0.9), ("word", 0.93), ("unit", 0.95), ("name", 0.95)]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_edited_values_are_caught(edited: dict[Language, OnEdits], language: Language, kind: str, floor: float) -> None:
    caught = edited[language].caught[kind]
    print(f"{language} {kind}: {caught.value:.3f} of {caught.count}")
    assert caught.value >= floor


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_copied_from_their_source_are_found(edited: dict[Language, OnEdits], language: Language) -> None:
    assert edited[language].sentences >= 200
    assert edited[language].false_alarms.value <= 0.01


def test_changed_numbers_from_other_data_sets_are_caught(corpora: Path) -> None:
    changed = [row for row in rows(corpora, "xquad_perturb") if row.kind == "number"]
    caught = [check(row.claim, row.evidence, row.language).verdict == "value_mismatch" for row in changed]
    assert sum(caught) >= 0.99 * len(caught)
