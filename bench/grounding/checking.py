"""Check claims of the corpora as in an answer, one at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.grounding.baseline import plain
from bench.grounding.edits import KINDS, Language
from bench.grounding.measures import Measured, auroc, balanced_accuracy, share
from bench.grounding.rows import Row, rows, sentences
from corpus.citing.protocol import Claim
from corpus.verification.protocol import CheckedClaim, SourceText, Verdict
from corpus.verification.verify import verify

VERDICTS: tuple[Verdict, ...] = ("found", "partly", "not_found", "value_mismatch")
"""Verdicts for a claim that cites a source."""


@dataclass(frozen=True)
class OnLabels:
    """How well the verdicts agree with human labels, and how well plain word overlap does on the same claims.
    `precision` maps each verdict to the fraction of its claims that people labelled unsupported; `milliseconds` is the
    CPU time per claim, including the preparation of its source."""

    rows: int
    unsupported: float
    accuracy: Measured
    area: Measured
    plain_accuracy: Measured
    plain_area: Measured
    precision: dict[Verdict, Measured]
    milliseconds: float


@dataclass(frozen=True)
class OnEdits:
    """The fraction of edits whose verdict is unsupported, by kind, and the fraction of sentences whose verdict is not
    `found` although the source contains them word for word."""

    sentences: int
    caught: dict[str, Measured]
    false_alarms: Measured


def check(claim: str, evidence: str, language: str | None = None) -> CheckedClaim:
    claims = [Claim(claim, 0, len(claim), "sentence", (1,))]
    return verify(claims, [SourceText(1, evidence, language)], language)[0]


def on_labels(folder: Path, name: str, draws: int, subset: str | None = None) -> OnLabels:
    """Measure one set, or a part of it. The language is not passed on, as is the case for sources that a client
    supplies."""
    given = [row for row in rows(folder, name) if subset in (None, row.subset)]
    check(given[0].claim, given[0].evidence)  # warm-up, loads everything that is loaded lazily
    begin = time.process_time()
    checked = [check(row.claim, row.evidence) for row in given]
    milliseconds = (time.process_time() - begin) / len(given) * 1000
    true = [row.supported for row in given]
    return OnLabels(
        len(given),
        1 - sum(true) / len(true),
        balanced_accuracy([one.verdict == "found" for one in checked], true, draws),
        auroc([one.score for one in checked], true, draws),
        *plain(given, draws),
        {verdict: _unsupported(verdict, checked, given, draws) for verdict in VERDICTS},
        milliseconds,
    )


def _unsupported(verdict: Verdict, checked: Sequence[CheckedClaim], given: Sequence[Row], draws: int) -> Measured:
    return share([not row.supported for one, row in zip(checked, given, strict=True) if one.verdict == verdict], draws)


def on_edits(folder: Path, language: Language, draws: int, every: int = 1) -> OnEdits:
    """Check one in `every` sentences of a language, with its edits."""
    chosen = sentences(folder, language)[::every]
    caught: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for one in chosen:
        for edit in one.edits:
            caught[edit.kind].append(check(edit.text, one.source, language).is_unsupported)
    alarms = [check(one.text, one.source, language).verdict != "found" for one in chosen]
    return OnEdits(len(chosen), {kind: share(hits, draws) for kind, hits in caught.items()}, share(alarms, draws))


def by_kind(folder: Path) -> dict[tuple[str, str], dict[Verdict, int]]:
    """Return the verdicts on claims that other people generated from the same paragraphs, by language and kind."""
    found: dict[tuple[str, str], dict[Verdict, int]] = {}
    for row in rows(folder, "xquad_perturb"):
        counts = found.setdefault((row.language, row.kind), {})
        verdict = check(row.claim, row.evidence, row.language).verdict
        counts[verdict] = counts.get(verdict, 0) + 1
    return found
