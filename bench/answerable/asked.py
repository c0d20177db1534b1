"""Questions with and without an answer in the development corpora, in two halves and later ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bench.questions import SETS

OWN = Path(__file__).with_name("questions.jsonl")
LATER = Path(__file__).with_name("later.jsonl")
NO_SET = "no set"

Half = Literal["development", "fresh", "later"]
HALVES: tuple[Half, ...] = ("development", "fresh", "later")


@dataclass(frozen=True)
class Asked:
    """`origin` is `corpora` or `own`; `kind` says why there is no answer, or how the question is worded; `doc` is the
    file that it is about."""

    set_name: str
    language: str
    text: str
    answerable: bool
    origin: str
    kind: str
    doc: str | None
    half: Half = "later"


def asked(corpora: Path) -> list[Asked]:
    """The questions of the corpora, then the own ones, then the later ones."""
    met: Counter[tuple[str, str, str, bool]] = Counter()
    found = []
    for one in (*_of_corpora(corpora), *_own(corpora, OWN)):
        group = (one.origin, one.set_name, one.language, one.answerable)
        found.append(replace(one, half=HALVES[met[group] % 2]))
        met[group] += 1
    return [*found, *_own(corpora, LATER)]


def _of_corpora(corpora: Path) -> Iterator[Asked]:
    for name in SETS:
        for row in _lines(corpora / name / "questions.jsonl"):
            answerable = bool(row.get("answerable", True))
            language, kind = str(row.get("lang", "en")), "of the corpora"
            yield Asked(name, language, str(row["question"]), answerable, "corpora", kind, str(row["doc"]))


def _own(corpora: Path, file: Path) -> Iterator[Asked]:
    sets = {file.name: name for name in SETS for file in (corpora / name).glob("*.pdf")}
    for row in _lines(file):
        doc = str(row["doc"]) if row["doc"] else None
        name = sets[doc] if doc else NO_SET
        language, text = str(row["language"]), str(row["question"])
        yield Asked(name, language, text, bool(row["answerable"]), "own", str(row["kind"]), doc)


def _lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
