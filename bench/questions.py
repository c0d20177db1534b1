"""The questions of the development corpora, with the pages that answer them."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETS = ("northwind", "papers", "manuals", "gov", "finreport")
CROSSING = Path(__file__).with_name("crossing.jsonl")


@dataclass(frozen=True)
class Question:
    """A question. `pages` contains 1-based pages of the file `doc`, each of which answers the question. If there are
    `patterns` instead, the correct answer is the text in the file that matches the most of them. A question that is not
    `answerable` may still have a `doc`, the file that it asks about."""

    set_name: str
    text: str
    doc: str
    pages: frozenset[int]
    language: str
    patterns: tuple[str, ...] = ()
    answerable: bool = True


def corpora() -> Path:
    """Return the folder in IBID_TEST_CORPORA. If it is not set, exit with instructions."""
    place = os.environ.get("IBID_TEST_CORPORA")
    if not place or not Path(place).is_dir():
        sys.exit("IBID_TEST_CORPORA does not name a folder. Set it to the development corpora to run this bench.")
    return Path(place)


def questions(folder: Path) -> list[Question]:
    """Return the answerable questions of all sets that have a page."""
    return [one for name in SETS for one in _read(folder / name / "questions.jsonl", name) if one.pages]


def figure_questions(folder: Path) -> list[Question]:
    """Return the questions that are answered by a figure: those about figures in the papers, and those about slides
    with a chart."""
    papers = _read(folder / "papers" / "figure_questions.jsonl", "papers")
    return papers + _read(folder / "finreport" / "questions.jsonl", "finreport", only_of_figures=True)


def crossing_questions() -> list[Question]:
    """Return questions about the same documents, in a language other than that of the page that answers them."""
    return [_question(row, row["set"]) for row in _rows(CROSSING)]


def all_questions(folder: Path, set_name: str) -> list[Question]:
    """Return the questions of one folder, including those without an answer."""
    return [_question(row, set_name) for row in _rows(folder / "questions.jsonl")]


def _read(file: Path, set_name: str, *, only_of_figures: bool = False) -> list[Question]:
    rows = _rows(file)
    if only_of_figures:
        rows = [row for row in rows if row.get("figures")]
    return [_question(row, set_name) for row in rows if row.get("answerable", True)]


def _question(row: dict[str, Any], set_name: str) -> Question:
    return Question(
        set_name, row["question"], row["doc"] or "", frozenset(row.get("pages", ())), row.get("lang", "en"),
        tuple(row.get("must", ())), row.get("answerable", True),
    )  # fmt: skip


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
