"""Labelled claims and sentences of the development corpora, with which the check is measured."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import sentencex

from bench.grounding.edits import Edit, Language, edits

HUMAN = ("attributionbench", "begin", "q2_wow")
"""Sets labelled by people, who judged whether the evidence supports each claim."""
LANGUAGES: tuple[Language, ...] = ("en", "de")
_MARKS = re.compile(r"\s*\[\d+\]|^(?:\d+\.|[-*•])\s+")
_FEWEST_LETTERS = 40


@dataclass(frozen=True)
class Row:
    """A labelled claim. `kind` says how the claim was generated; it is empty for a claim that people found. `place` is
    the same for both languages of a paragraph, and begins with the article and a hyphen."""

    claim: str
    evidence: str
    supported: bool
    language: str
    kind: str = ""
    subset: str = ""
    place: str = ""


@dataclass(frozen=True)
class Sentence:
    """A sentence that its source contains word for word, and its edits."""

    text: str
    source: str
    language: Language
    edits: tuple[Edit, ...]


def rows(folder: Path, name: str) -> list[Row]:
    """Return the rows of one set. Citation markers and list marks are removed, as they are when an answer is read."""
    lines = (folder / "grounding" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_row(json.loads(line)) for line in lines]


def _row(row: dict[str, str]) -> Row:
    claim = _MARKS.sub("", row["claim"]).strip()
    place = row["id"].removeprefix(f"xp-{row['lang']}-").rsplit("-", 1)[0]
    kind, subset = row.get("kind", ""), row.get("subset", "")
    return Row(claim, row["evidence"], bool(row["label"]), row["lang"], kind, subset, place)


@cache
def sentences(folder: Path, language: Language) -> tuple[Sentence, ...]:
    """Return every sentence of the parallel paragraphs, with edits. The number of a sentence is the random seed for its
    edits."""
    names = None if language == "en" else _english_names(folder)
    found = [
        (text, source)
        for source in _paragraphs(folder, language)
        for one in sentencex.segment(language, source)
        if len(text := one.strip()) >= _FEWEST_LETTERS
    ]
    return tuple(
        Sentence(text, source, language, tuple(edits(text, source, language, Random(seed), names)))
        for seed, (text, source) in enumerate(found)
    )


def _paragraphs(folder: Path, language: Language) -> list[str]:
    made = rows(folder, "xquad_perturb")
    return list(dict.fromkeys(row.evidence for row in made if row.language == language))


def _english_names(folder: Path) -> frozenset[str]:
    """Return the words that are capitalised within English sentences. German text contains the same names among its
    capitalised nouns."""
    return frozenset(_capitalised(folder))


def _capitalised(folder: Path) -> Iterator[str]:
    for paragraph in _paragraphs(folder, "en"):
        yield from re.findall(r"(?<=[\w,;] )[A-Z][a-z]{2,}", paragraph)
