"""Answers about the sample document, with a known verdict for each claim."""

from __future__ import annotations

from typing import Any

from tests.evidence_view.host_server import Server

EACH = (
    ("The discharge pressure must rise within five seconds [1].", "found in source", "✓"),
    ("Set 1,450 rpm and press Start while the moon is full and green [1].", "partly in source", "≈"),
    ("Penguins sleep on icebergs during long winters [1].", "not found in source", "✗"),
    ("The discharge pressure must rise within 90 seconds [1].", "value differs", "≠"),
    ("The vent plug is made of brass and tin [7].", "no such source", "?"),
    ("Pumps of this kind were first sold in Hamburg.", "not cited", "○"),
    ("Expect some leakage from the seal during the first ten minutes [2].", "found in source", "✓"),
)


def given(server: Server) -> dict[str, Any]:
    """Return the arguments of rag_verify_answer for an answer with every verdict, about two passages of page 2."""
    answer = "# Starting 🚀\n\n" + "\n\n".join(claim for claim, _, _ in EACH)
    return {"answer": answer, "block_ids": [server.block("p2-2"), server.block("p2-4")]}
