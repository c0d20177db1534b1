"""Measure one server with one set of documents, from reading to the last answer."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import numpy as np

from bench import record
from bench.peers.measuring import Asked, Failed, asked, ingested
from bench.peers.promise import Material, Peer


def run(
    peer: Peer, material: Material, state: Path, queries: Sequence[str], top_k: int
) -> tuple[dict[str, Any], Asked]:
    """Return the row of costs, and the answers. Raise Failed."""
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    log = state / "log"
    seconds, processor = ingested(peer.ingestion(material, state), peer.settings(state), log)
    found = anyio.run(asked, peer, peer.server(material, state), material, queries, top_k, log)
    row = {
        **named(peer),
        "ingest_s": round(seconds + found.ready_s, 1),
        "ingest_cpu_s": round(processor + found.ready_cpu_s, 1),
        **percentiles("search_ms", found.wall_ms),
        **percentiles("search_cpu_ms", found.cpu_ms),
        "memory_mb": round(found.memory_mb),
    }
    return row, found


def named(peer: Peer) -> dict[str, str]:
    return {"server": peer.name, "version": peer.install(), "mode": peer.mode, "reads": peer.reads}


def percentiles(name: str, values: Sequence[float]) -> dict[str, float]:
    return {f"{name}_p{cut}": round(float(np.percentile(values, cut)), 2) for cut in (50, 95)}


def failed(part: str, peer: Peer, error: Failed, **more: int) -> record.Row:
    print(f"{peer.name}, {peer.mode}: {error}", flush=True)
    return {"part": part, **more, **named(peer), "failed": str(error)}
