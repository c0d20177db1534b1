"""Retrieval test sets within and across languages: collections of passages, each with its questions.

The sets are SciFact and XQuAD, in the development corpora's `ir` folder. XQuAD has the same paragraphs and questions in
each language, so that a German question can be asked about English paragraphs, or about a collection in both languages.
SciFact has 5,183 abstracts, which take an hour or more to embed. Unless all of them are requested, only the judged
abstracts and every tenth of the others are used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVERY = 10

LANGUAGES = {"xquad-en": "en", "xquad-de": "de", "xquad-zh": "zh", "scifact": "en"}


@dataclass(frozen=True)
class Passage:
    key: str
    text: str
    language: str


@dataclass(frozen=True)
class Asked:
    """A question. `right` contains the keys of the passages that were judged relevant."""

    text: str
    right: frozenset[str]


@dataclass(frozen=True)
class Collection:
    """Passages, and the groups of questions about them."""

    name: str
    passages: tuple[Passage, ...]
    groups: Mapping[str, tuple[Asked, ...]]


def collections(folder: Path, *, every: int = 1, whole: bool = False) -> list[Collection]:
    """Return all collections, with one in `every` questions. If `whole` is True, SciFact contains all its abstracts."""
    read = {name: _passages(folder / name, language) for name, language in LANGUAGES.items()}
    asked = {name: _questions(folder / name)[::every] for name in LANGUAGES}
    english, german = asked["xquad-en"], asked["xquad-de"]
    mixed = _alternating(read["xquad-en"], read["xquad-de"])
    halves = {"en": _of(mixed, "en"), "de": _of(mixed, "de")}
    abstracts = read["scifact"] if whole else _some(read["scifact"], _questions(folder / "scifact"))
    return [
        Collection(
            "xquad-en", read["xquad-en"],
            {"en -> en": english, "de -> en": german, "zh -> en": asked["xquad-zh"]},
        ),
        Collection("xquad-de", read["xquad-de"], {"de -> de": german, "en -> de": english}),
        Collection("xquad-zh", read["xquad-zh"], {"zh -> zh": asked["xquad-zh"]}),
        Collection("scifact" if whole else "scifact, a part", abstracts, {"en -> en": asked["scifact"]}),
        Collection(
            "xquad, half en, half de", mixed,
            {
                f"{source} -> {target}": tuple(one for one in questions if one.right & halves[target])
                for source, questions in (("en", english), ("de", german))
                for target in halves
            },
        ),
    ]  # fmt: skip


def _some(passages: Sequence[Passage], asked: Sequence[Asked]) -> tuple[Passage, ...]:
    judged = frozenset[str]().union(*(one.right for one in asked))
    return tuple(one for n, one in enumerate(passages) if one.key in judged or n % EVERY == 0)


def _alternating(first: Sequence[Passage], second: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the paragraphs in alternating languages, so that each paragraph is in only one of the two languages."""
    return tuple(pair[n % 2] for n, pair in enumerate(zip(first, second, strict=True)))


def _of(passages: Sequence[Passage], language: str) -> frozenset[str]:
    return frozenset(one.key for one in passages if one.language == language)


def _passages(folder: Path, language: str) -> tuple[Passage, ...]:
    rows = _rows(folder / "corpus.jsonl")
    texts = ((row["_id"], "\n".join(part for part in (row["title"], row["text"]) if part)) for row in rows)
    return tuple(Passage(key, text, language) for key, text in texts)


def _questions(folder: Path) -> tuple[Asked, ...]:
    lines = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    right: dict[str, set[str]] = {}
    for question, passage, grade in (line.split("\t") for line in lines):
        if int(grade) > 0:
            right.setdefault(question, set()).add(passage)
    rows = _rows(folder / "queries.jsonl")
    return tuple(Asked(row["text"], frozenset(right[row["_id"]])) for row in rows if row["_id"] in right)


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
