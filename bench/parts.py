"""The parts of the bench `retrieval`: each is a separate index with its questions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.corpus_index import FOLDER, ingested, take_in
from bench.kept_vectors import KeptVectors
from bench.questions import SETS, Question, all_questions, questions

DEVELOPMENT, MIXED = "development", "mixed"
WILD = ("mmlong-tune", "finance-tune")
CHECK = ("mmlong-check", "finance-check")
"""Held-out parts. Do not base any decision on their results, because they would no longer prove anything."""


@dataclass(frozen=True)
class Part:
    """A part. `files` contains the files in the index, and `questions` includes those without an answer."""

    name: str
    files: tuple[Path, ...]
    questions: tuple[Question, ...]


def parts(corpora: Path, *, check: bool, names: Sequence[str] = ()) -> list[Part]:
    """Return the parts of the corpora, and of the folder in IBID_WILD_CORPORA, and print those that are skipped. If no
    names are given, return all parts."""
    development = tuple(file for name in SETS for file in sorted((corpora / name).glob("*.pdf")))
    all_parts = [Part(DEVELOPMENT, development, tuple(questions(corpora))), _mixed(corpora)]
    wild = os.environ.get("IBID_WILD_CORPORA")
    for name in WILD + CHECK if check else WILD:
        folder = Path(wild) / name if wild else None
        if folder and folder.is_dir():
            asked = tuple(all_questions(folder, name))
            all_parts.append(Part(name, tuple(sorted(folder.glob("*.pdf"))), asked))
        else:
            print(f"{name}: left out, IBID_WILD_CORPORA does not name a folder that has it", flush=True)
    return [part for part in all_parts if not names or part.name in names]


async def index_of(part: Part, corpora: Path, ready: Path | None, embedder: KeptVectors) -> Path:
    """Return the folder of the index: the one in `ready` if it exists, and otherwise the one from earlier runs after
    updating it."""
    if ready and (ready / part.name / "index.sqlite3").exists():
        return ready / part.name
    if part.name == DEVELOPMENT:
        return await ingested(corpora)
    folder = FOLDER.with_name(f"retrieval-{part.name}")
    await take_in(part.files, folder, embedder)
    return folder


def _mixed(corpora: Path) -> Part:
    folder = corpora / MIXED
    named = (folder / "files.txt").read_text(encoding="utf-8").split("\n")
    files = [corpora / name for name in named if name]
    own = sorted(file for file in (folder / "documents").rglob("*") if file.is_file())
    return Part(MIXED, (*files, *own), tuple(all_questions(folder, MIXED)))
