"""The synthetic index as a server finds it: with vectors that are named as those of the packaged embedder.

They mean nothing, and take as long to search as any others.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from bench.blocks import Corpus, filled
from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.local.store import FILE


def folder_of(place: Path, blocks: int) -> Path:
    """Made at the first time from the index that `bench search` searches."""
    made, served = place / f"synthetic-{blocks}", place / f"served-{blocks}"
    if not (served / "filled").exists():
        filled(made, Corpus(blocks).documents())
        shutil.rmtree(served, ignore_errors=True)
        shutil.copytree(made, served, ignore=shutil.ignore_patterns("vectors-*", "filled"))
        with closing(sqlite3.connect(served / FILE)) as database, database:
            database.execute("UPDATE embedders SET name = ?", (PackagedEmbedder.id,))
        (served / "filled").touch()
    return served


def settings(folder: Path) -> dict[str, str]:
    """Of a person who reads half of the documents."""
    return {"RAG_DATA_DIR": str(folder), "RAG_EMBEDDER": "packaged", "RAG_USER_ID": "few"}
