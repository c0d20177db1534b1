"""Blocks of the development papers are located at their figures, by the labels of captions alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.ingestion.build_document import document_and_blocks
from corpus.ingestion.file_decision import fingerprint
from corpus.places import places_of
from corpus.readers.sandbox.pool import ReadingProcesses

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


async def test_every_figure_of_the_papers_is_located_on_its_page_and_nowhere_else(corpora: Path) -> None:
    rows = [json.loads(line) for line in (corpora / "papers" / "figures.jsonl").read_text().splitlines()]
    expected = {(row["doc"], row["page"], row["label"].removeprefix("Figure ")) for row in rows}
    borne = set()
    async with ReadingProcesses() as reading:
        for name in sorted({row["doc"] for row in rows}):
            path = corpora / "papers" / name
            document, blocks = document_and_blocks(
                path,
                await reading.read(path),
                fingerprint(path),
                doc_id=path.stem,
                reader_version="",
                document_type=None,
                department=None,
                access=(),
            )
            borne |= {
                (name, new.block.page_number, place.label)
                for new in blocks
                for place in places_of(new.block, document)
                if place.kind == "figure"
            }

    assert borne == expected
