"""Measure how long a server takes to its first answers, over development corpora that it has read before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import record
from bench.peers import material, session
from bench.peers.development import state_of
from bench.peers.measuring import Failed, first_answers
from bench.peers.promise import Material, Peer

PART, STARTS, QUERY = "start", 9, "health plan deductible"


def compared(peers: Sequence[Peer], corpora: Path, folder: Path) -> list[record.Row]:
    """Measure all servers in turn, so that other load on the machine affects all of them. The first round warms up the
    disk cache."""
    given = material.development(corpora, folder / "development")
    times: dict[Peer, list[tuple[float, float | None]]] = {peer: [] for peer in peers}
    failures: dict[Peer, Failed] = {}
    for _ in range(STARTS + 1):
        for peer in peers:
            try:
                times[peer].append(first_answers(peer.server(given, state_of(peer, folder)), call(peer, given)))
            except Failed as error:
                failures[peer] = error
    return [
        session.failed(PART, peer, failures[peer]) if peer in failures else row(peer, times[peer][1:]) for peer in peers
    ]


def call(peer: Peer, given: Material) -> dict[str, Any] | None:
    """Return the call of a first search, or None for a server that would have to read the documents first."""
    return None if peer.in_memory else {"name": peer.tool, "arguments": peer.arguments(QUERY, 10, given)}


def row(peer: Peer, times: Sequence[tuple[float, float | None]]) -> record.Row:
    searched = [second for _, second in times if second is not None]
    return {
        "part": PART,
        **session.named(peer),
        "starts": len(times),
        **session.percentiles("initialize_ms", [first for first, _ in times]),
        **(session.percentiles("first_search_ms", searched) if searched else {}),
    }
