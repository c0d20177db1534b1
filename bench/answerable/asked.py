"""Questions with and without an answer in the development corpora, in two halves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.questions import SETS

OWN = Path(__file__).with_name("questions.jsonl")
NO_SET = "off topic"

Half = Literal["development", "fresh"]


@dataclass(frozen=True)
class Asked:
    """`origin` is `corpora` or `own`; `kind` says why there is no answer, or how the question is worded."""

    set_name: str
    language: str
    text: str
    answerable: bool
    origin: str
    kind: str
    half: Half


@dataclass(frozen=True)
class _Row:
    set_name: str
    language: str
    text: str
    answerable: bool
    origin: str
    kind: str


def asked(corpora: Path) -> list[Asked]:
    """The questions of the corpora, then the own ones."""
    rows = [*_of_corpora(corpora), *_own(corpora)]
    met: Counter[tuple[str, str, str, bool]] = Counter()
    found = []
    for row in rows:
        group = (row.origin, row.set_name, row.language, row.answerable)
        half: Half = "fresh" if met[group] % 2 else "development"
        met[group] += 1
        found.append(Asked(row.set_name, row.language, row.text, row.answerable, row.origin, row.kind, half))
    return found


def _of_corpora(corpora: Path) -> Iterator[_Row]:
    for name in SETS:
        for row in _lines(corpora / name / "questions.jsonl"):
            answerable = bool(row.get("answerable", True))
            kind = "of the corpora"
            yield _Row(name, str(row.get("lang", "en")), str(row["question"]), answerable, "corpora", kind)


def _own(corpora: Path) -> Iterator[_Row]:
    sets = {file.name: name for name in SETS for file in (corpora / name).glob("*.pdf")}
    for row in _lines(OWN):
        name = sets[str(row["doc"])] if row["doc"] else NO_SET
        yield _Row(
            name, str(row["language"]), str(row["question"]), bool(row["answerable"]), "own", str(row["kind"])
        )


def _lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
