"""Questions that the development sets hardly have: for an identifier or a numbered section, made from the index of the
sets, and for a comparison of two documents; and all questions again with a second version of every document."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.questions import Question
from corpus.blocks import Block, passage_text
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.search import Hit

COMPARING = Path(__file__).with_name("comparing.jsonl")
COPY = "Copy of "
IDENTIFIERS, SECTIONS = 120, 60
_WORD = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
_SECTION = re.compile(r"(\d+(?:\.\d+)+)\s+\S")


@dataclass(frozen=True)
class Comparison:
    """A question about two documents, by their file names."""

    text: str
    docs: frozenset[str]


def comparisons() -> list[Comparison]:
    rows = [json.loads(line) for line in COMPARING.read_text(encoding="utf-8").splitlines()]
    return [Comparison(row["question"], frozenset(row["docs"])) for row in rows]


def compared(asked: Comparison, hits: Sequence[Hit], cut: int) -> bool:
    """Whether both documents are among the first `cut` blocks."""
    return asked.docs <= {hit.document.filename for hit in hits[:cut]}


async def code_questions(folder: Path) -> list[Question]:
    """For identifiers that stand on one page alone, and for sections by their number; the same in every run."""
    blocks = await _blocks(folder)
    pages: dict[str, set[tuple[str, int]]] = defaultdict(set)
    sections: dict[tuple[str, str], set[int]] = defaultdict(set)
    for filename, block in blocks:
        page = block.page_number or 0
        for word in set(_WORD.findall(passage_text(block))):
            pages[word].add((filename, page))
        if found := _SECTION.match((block.heading or "").rpartition(" > ")[2]):
            sections[filename, found[1]].add(page)
    once = sorted(word for word, where in pages.items() if len(where) == 1 and _is_identifier(word))
    asked = [
        Question("identifiers", f"What does {word} mean?", *_only(pages[word]), "en")
        for word in random.Random(3).sample(once, min(IDENTIFIERS, len(once)))
    ]
    numbered = sorted(sections)
    return asked + [
        Question(
            "sections", f"What does section {number} of {filename.rpartition('.')[0]} say?", filename,
            frozenset(sections[filename, number]), "en",
        )
        for filename, number in random.Random(4).sample(numbered, min(SECTIONS, len(numbered)))
    ]  # fmt: skip


def _is_identifier(word: str) -> bool:
    mixed = any(one.isdigit() for one in word) and any(one.isalpha() for one in word)
    return mixed and 4 <= len(word) <= 20


def _only(places: set[tuple[str, int]]) -> tuple[str, frozenset[int]]:
    ((filename, page),) = places
    return filename, frozenset({page})


async def _blocks(folder: Path) -> list[tuple[str, Block]]:
    index = LocalIndex.open(folder, None)
    wholes = [await index.whole(one.doc_id) for one in await index.all_documents()]
    await index.aclose()
    return [(whole.document.filename, block) for whole in wholes for block in whole.blocks]


async def with_versions(folder: Path, place: Path) -> Path:
    """The index once more, with a copy of every document under another name. Vectors are kept by what a passage says,
    so none is made."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    index = LocalIndex.open(place, None)
    for one in await index.all_documents():
        whole = await index.whole(one.doc_id)
        path, name = COPY + one.source_path, COPY + one.filename
        copy = replace(whole.document, doc_id=f"copy-{one.doc_id}", filename=name, source_path=path)
        blocks = [
            NewBlock(replace(block, block_id=f"copy-{block.block_id}", doc_id=copy.doc_id))
            for block in whole.blocks
        ]
        await index.replace(copy, blocks)
    await index.aclose()
    return place


def either(hits: Sequence[Hit], question: Question) -> int | None:
    """The rank, among distinct pages of distinct files, of a right page in either version."""
    pages = dict.fromkeys((hit.document.filename, hit.block.page_number or 0) for hit in hits)
    for rank, (name, page) in enumerate(pages, 1):
        if name.removeprefix(COPY) == question.doc and page in question.pages:
            return rank
    return None
