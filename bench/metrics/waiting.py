"""Waiting times that the example agent does not cover: a search of many blocks, and the start of a server."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.blocks import Corpus
from bench.served import folder_of, settings
from bench.speaking import ERAS, OURS, Speaking
from bench.startup import once

BLOCKS, SEARCHES, STARTS = 100_000, 20, 5


def searches(folder: Path) -> Sequence[float]:
    """Return the seconds of each search, measured by a client over stdio, including loading during the first call. No
    query is repeated."""
    place, corpus = folder_of(folder, BLOCKS), Corpus(BLOCKS)
    taken = []
    with Speaking(OURS, settings(place)) as server:
        server.greet()
        for _ in range(SEARCHES):
            begun = time.perf_counter()
            server.call("rag_semantic_search", query=corpus.query(), top_k=10)
            taken.append(time.perf_counter() - begun)
    return taken


def starts() -> Sequence[float]:
    """Return the seconds from the command to the answer to the handshake, in both generations of the protocol."""
    with tempfile.TemporaryDirectory() as nothing:
        return [once(OURS, nothing, era)[1] / 1000 for era in ERAS for _ in range(STARTS)]
