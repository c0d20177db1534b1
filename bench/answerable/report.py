"""The tables of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.answerable import curve
from bench.answerable.asked import HALVES, Asked
from bench.tables import table
from corpus.search import Hit
from corpus.synthesis.strength import WEAK

Scored = Sequence[tuple[Asked, float]]
Found = Sequence[tuple[Hit, ...]]
SHOWN = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Shares of refused answerable questions at which the curve is printed."""


def areas(ways: Mapping[str, Scored]) -> str:
    """The area under the curve, by half and way, with its interval."""
    head = ["half", "search", "answerable", "not", "AUROC", "95 %", "threshold for 0.05", "it catches"]
    rows = []
    for half in HALVES:
        for way, scored in ways.items():
            good, bad = _groups(_only(scored, "half", half))
            low, high = curve.interval(good, bad)
            threshold = curve.chosen(good)
            point = curve.at(threshold, good, bad)
            cells = [f"{curve.area(good, bad):.3f}", f"{low:.3f} to {high:.3f}"]
            cells += [f"{threshold:.3f}", f"{point.caught:.2f}"]
            rows.append([half, way, str(len(good)), str(len(bad)), *cells])
    return table(head, rows)


def curves(ways: Mapping[str, Scored]) -> str:
    """Caught at each share of refused answerable questions."""
    head = ["half", "search", *(f"refused {share:.2f}" for share in SHOWN)]
    rows = []
    for half in HALVES:
        for way, scored in ways.items():
            points = curve.curve(*_groups(_only(scored, "half", half)))
            caught = [max(p.caught for p in points if p.refused <= share) for share in SHOWN]
            rows.append([half, way, *(f"{share:.2f}" for share in caught)])
    return table(head, rows)


def left_out(scored: Scored) -> str:
    """The threshold chosen without a set, and what it does in that set; development half."""
    ours = _only(scored, "half", "development")
    rows, refused, caught = [], [0, 0], [0, 0]
    for name in dict.fromkeys(one.set_name for one, _ in ours):
        rest, _ = _groups([pair for pair in ours if pair[0].set_name != name])
        good, bad = _groups(_only(ours, "set_name", name))
        threshold = curve.chosen(rest)
        counts = [int((group < threshold).sum()) for group in (good, bad)]
        rows.append([name, f"{threshold:.3f}", f"{counts[0]} of {len(good)}", f"{counts[1]} of {len(bad)}"])
        refused = [refused[0] + counts[0], refused[1] + len(good)]
        caught = [caught[0] + counts[1], caught[1] + len(bad)]
    rows.append(["all", "", f"{refused[0]} of {refused[1]}", f"{caught[0]} of {caught[1]}"])
    return table(["set left out", "threshold of the others", "answerable refused", "caught"], rows)


def at_the_point(ways: Mapping[str, Scored]) -> str:
    """What the point that is built in does, in each half."""
    head = ["half", "search", "language", "answerable refused", "95 %", "caught", "95 %"]
    rows = []
    for half in HALVES:
        for way, scored in ways.items():
            ours = _only(scored, "half", half)
            rows.append([half, way, "all", *_cells(ours)])
            rows += [[half, way, name, *_cells(_only(ours, "language", name))] for name in ("en", "de")]
    return table(head, rows)


def by_kind(scored: Scored) -> str:
    """The same by set and by kind of question, all halves together, which are too small one by one."""
    rows = []
    for field in ("origin", "set_name", "kind"):
        for value in dict.fromkeys(getattr(one, field) for one, _ in scored):
            refused, _, caught, _ = _cells(_only(scored, field, value))
            rows.append([field.removesuffix("_name"), value, refused, caught])
    return table(["by", "questions", "answerable refused", "caught"], rows)


def _cells(scored: Scored) -> list[str]:
    cells = []
    for group in _groups(scored):
        count, weak = len(group), int((group < WEAK).sum())
        low, high = curve.exact(weak / count, count) if count else (0.0, 1.0)
        cells += [f"{weak} of {count}", f"{low:.2f} to {high:.2f}"] if count else ["", ""]
    return cells


def without_evidence(ways: Mapping[str, Scored], hits: Mapping[str, Found]) -> str:
    """How many of the refused answerable questions have the document with the answer among the hits."""
    rows = []
    for way, scored in ways.items():
        for half in HALVES:
            held = [
                (strength < WEAK, any(hit.document.filename == one.doc for hit in found))
                for (one, strength), found in zip(scored, hits[way], strict=True)
                if one.half == half and one.answerable
            ]
            refused = [there for weak, there in held if weak]
            lost = sum(1 for _, there in held if not there)
            rows.append([half, way, str(len(refused)), str(sum(refused)), f"{lost} of {len(held)}"])
    head = ["half", "search", "answerable refused", "of them document found", "document not found at all"]
    return table(head, rows)


def _only(scored: Scored, field: str, value: str) -> Scored:
    return [(one, strength) for one, strength in scored if getattr(one, field) == value]


def _groups(scored: Scored) -> tuple[curve.Strengths, curve.Strengths]:
    return curve.split([strength for _, strength in scored], [one.answerable for one, _ in scored])
