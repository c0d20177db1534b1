"""The synthetic index as a server finds it, with vectors under the name of the packaged embedder.

The vectors are meaningless, but a search over them takes as long as over real ones.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import structlog

from bench.blocks import Corpus, filled
from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.local.store import FILE


@dataclass(frozen=True)
class Asked:
    """The number of blocks, the index of them, and the load of the machine before the index was created."""

    blocks: int
    folder: Path
    load: float


def asked(name: str, what: str | None) -> Asked:
    """Parse the command line of a bench that uses this index. `what` describes the bench. Only warnings and errors are
    logged."""
    arguments = argparse.ArgumentParser(prog=f"bench {name}", description=what)
    arguments.add_argument("--blocks", type=int, default=100_000)
    arguments.add_argument("--folder", type=Path, default=Path(".bench/search"))
    chosen = arguments.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    return Asked(load=os.getloadavg()[0], blocks=chosen.blocks, folder=folder_of(chosen.folder, chosen.blocks))


def folder_of(place: Path, blocks: int) -> Path:
    """Return the folder. If it does not exist yet, create it from the index of `bench search`."""
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
    """Return the settings of a person who may read half of the documents."""
    return {"RAG_DATA_DIR": str(folder), "RAG_EMBEDDER": "packaged", "RAG_USER_ID": "few"}
