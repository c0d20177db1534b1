"""docs/answers.md shows the current answers."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from corpus.index.local import LocalIndex
from corpus.library import Library
from tests.packaging.test_scripts import script

pytestmark = pytest.mark.anyio


@pytest.fixture
def writer(root: Path) -> ModuleType:
    return script(root, "write_answers")


async def test_the_page_matches_answers_composed_from_the_hits(writer: ModuleType, root: Path, tmp_path: Path) -> None:
    index = LocalIndex.open(tmp_path, None)
    await writer.ingested(index)
    library = Library(index, None)
    found = json.loads((root / writer.FOUND).read_text(encoding="utf-8"))
    answers = {
        query: writer.composed(query, await writer.found_before(library, rows), cosines)
        for query, (rows, cosines) in found.items()
    }
    await library.aclose()

    assert list(found) == [query for queries in writer.QUESTIONS.values() for query in queries]
    assert writer.page(answers) == (root / writer.PAGE).read_text(encoding="utf-8"), (
        "Run `make answers`, or `python scripts/write_answers.py --again`."
    )


def test_its_pictures_are_small_and_all_of_them_are_used(root: Path, writer: ModuleType) -> None:
    page = (root / writer.PAGE).read_text(encoding="utf-8")
    pictures = list((root / writer.PICTURES).glob("*.png"))
    assert pictures
    assert all(picture.stat().st_size < 100_000 for picture in pictures)
    assert all(f"(answers/{picture.name})" in page for picture in pictures)
