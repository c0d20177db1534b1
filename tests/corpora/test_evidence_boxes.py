"""Sentences of real pages are found where a reader sees them: 40 sentences, outlined by hand in evidence_boxes.jsonl.

Each line has its document and page, its first and last words, and the boxes [page, left, top, right, bottom] in points.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpus.access import Caller
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.evidence_boxes import PlaceOnPage
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.ingestion.build_document import document_and_blocks
from corpus.ingestion.file_decision import Fingerprint
from corpus.library import Library
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadBlock, ReadDocument

LABELS = Path(__file__).with_name("evidence_boxes.jsonl")
EVERYONE = Caller(unfiltered=True)
STEPS = 4
"""Steps per point in which areas are counted."""

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


async def test_sentences_are_outlined_where_a_reader_sees_them(corpora: Path, tmp_path: Path) -> None:
    labels = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    index = LocalIndex.open(tmp_path / "index", None)
    library = Library(index, None)
    missed = {}
    for name in dict.fromkeys(label["document"] for label in labels):
        await index.replace(*_read(corpora / name))
        for label in (one for one in labels if one["document"] == name):
            blocks = await index.pages("pdf", label["page"], label["page"], EVERYONE)
            block, start, end = _sentence(blocks, label)
            share = overlap(label["boxes"], await library.evidence_places.of(block, start, end, EVERYONE))
            if share < 0.7:
                missed[name, label["page"], label["first"]] = round(share, 2)
    await index.aclose()
    assert len(labels) == 40
    assert len(missed) <= 4, missed


def _read(path: Path) -> tuple[Document, list[NewBlock]]:
    *steps, read = read_pdf(path)
    assert isinstance(read, ReadDocument)
    read = replace(read, blocks=tuple(step for step in steps if isinstance(step, ReadBlock)))
    return document_and_blocks(path, read, Fingerprint(0, 0, ""), doc_id="pdf", reader_version="", document_type=None,
                     department=None, access=("*",))  # fmt: skip


def _sentence(blocks: tuple[Block, ...], label: dict[str, Any]) -> tuple[Block, int, int]:
    words = [r"\s+".join(map(re.escape, label[end].split())) for end in ("first", "last")]
    pattern = re.compile(f"{words[0]}.*?{words[1]}", re.DOTALL)
    for block in blocks:
        if block.block_type == "text" and (found := pattern.search(block.content)):
            return block, found.start(), found.end()
    raise AssertionError(f"no block has {label['first']!r} to {label['last']!r}")


def overlap(seen: list[list[float]], found: tuple[PlaceOnPage, ...]) -> float:
    """Return the intersection of two areas, divided by their union."""
    boxes = defaultdict[int, list[list[float]]](list)
    for page, *box in seen:
        boxes[int(page)].append(box)
    places = {place.page_number: place.boxes for place in found}
    both = either = 0
    for page in {*boxes, *places}:
        one, other = _area(boxes.get(page, [])), _area(places.get(page, ()))
        both += int((one & other).sum())
        either += int((one | other).sum())
    return both / either


def _area(boxes: Any) -> np.ndarray:
    area = np.zeros((1000 * STEPS, 1100 * STEPS), dtype=bool)
    for left, top, right, bottom in boxes:
        area[round(top * STEPS) : round(bottom * STEPS), round(left * STEPS) : round(right * STEPS)] = True
    return area
