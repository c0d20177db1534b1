"""Measure the cost of a search over growing numbers of synthetic pages with one passage each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench import record
from bench.peers import session
from bench.peers.material import Synthetic
from bench.peers.measuring import Failed
from bench.peers.promise import Page, Peer

PART, QUESTIONS, RESULTS = "passages", 200, 10


def compared(peers: Sequence[Peer], passages: int, folder: Path) -> list[record.Row]:
    made = Synthetic(passages)
    given, asked = made.laid(folder / f"synthetic-{passages}"), made.questions(QUESTIONS)
    rows: list[record.Row] = []
    for peer in peers:
        state = folder / "state" / f"{passages}-{peer.name}-{peer.mode}"
        try:
            cost, found = session.run(peer, given, state, [text for text, _ in asked], RESULTS)
        except Failed as error:
            rows.append(session.failed(PART, peer, error, passages=passages))
            continue
        share = share_found([page for _, page in asked[: len(found.pages)]], found.pages)
        rows.append(
            {
                "part": PART,
                "passages": passages,
                **cost,
                "asked": len(found.pages),
                "found@10": round(share, 3),
            }
        )
        print(f"{peer.name}, {peer.mode}, {passages}: {cost['search_ms_p95']} ms", flush=True)
    return rows


def share_found(wanted: Sequence[Page], pages: Sequence[Sequence[Page]]) -> float:
    """Return the fraction of questions whose page is among the results. This verifies that fast answers are also
    correct."""
    return sum(page in row for page, row in zip(wanted, pages, strict=True)) / len(wanted)
