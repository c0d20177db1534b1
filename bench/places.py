"""Questions about a location in a document, such as "Figure 3" or "chapter 2", by kind of location: `places.jsonl`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path

from bench.questions import Question

FILE = Path(__file__).with_name("places.jsonl")


def place_questions(sets: Collection[str]) -> list[Question]:
    """Return the questions about documents in these sets, each labelled with its kind. The correct answer is the page
    or, if the question has no page, a text that mentions the figure or table."""
    if not FILE.exists():
        print(f"questions that name a place: left out, there is no {FILE.name}", flush=True)
        return []
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [_question(row) for row in rows if row["set"] in sets]


def _question(row: dict[str, object]) -> Question:
    pages = row.get("pages")
    label = row.get("figure") or row.get("table")
    named = () if pages else (rf"\b{re.escape(str(label))}\b",)
    numbers = frozenset(map(int, pages)) if isinstance(pages, list) else frozenset[int]()
    return Question(str(row["kind"]), str(row["question"]), str(row["doc"]), numbers, str(row.get("lang", "en")), named)
