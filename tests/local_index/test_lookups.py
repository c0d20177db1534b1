"""Database reads of a change and of a search: all use an index, and none grows with the other documents."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import a_document, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio

_GROWS = re.compile(r"^SCAN (packs|blocks|vectors|pictures|lines)\b")


def _told(index: LocalIndex) -> list[str]:
    """Record every statement from now on."""
    said: list[str] = []
    with index._store._borrow() as connection:
        connection.set_trace_callback(said.append)
    return said


def _scans(folder: Path, statements: list[str]) -> list[str]:
    """Return the statements that scan a table of blocks."""
    database = sqlite3.connect(folder / "index.sqlite3")
    asked = [one for one in statements if one.startswith(("SELECT", "DELETE", "UPDATE", "INSERT"))]
    found = []
    for one in asked:
        plan = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {one}")]
        found += [f"{step}: {one[:80]}" for step in plan if _GROWS.match(step)]
    database.close()
    assert asked
    return found


async def test_a_change_and_a_search_scan_no_table_of_blocks(folder: Path) -> None:
    embedder = DigestEmbedder()
    index = LocalIndex.open(folder, embedder)
    await index.replace(a_document("many", title="t"), texts("many", *(f"part {n}" for n in range(20))))
    await index.replace(a_document(), texts("manual", "The pump hums.", "The valve leaks."))
    await embed(index, embedder)
    await index.find(Search("pump"), ANONYMOUS)
    said = _told(index)
    await index.replace(a_document(title="Another"), texts("manual", "The pump hums.", "The valve holds."))
    await index.find(Search("pump"), ANONYMOUS)
    await index.remove("manual")
    assert _scans(folder, said) == []
    await index.aclose()
