"""The answer of the model, checked by the server against the blocks that its tools gave."""

from __future__ import annotations

from typing import Any

from mcp import Client

from . import ibid
from .state import Session

MOST_BLOCKS = 50


def note_sources(session: Session, tool: str, result: dict[str, Any]) -> None:
    """Remember each block that was seen, and the order in which an answer of the server numbers its own."""
    rows = [one for key in ("results", "sources") for one in result.get(key) or () if one.get("block_id")]
    seen = session["sources"]
    for one in rows:
        seen[one["block_id"]] = one.get("citation") or f"{one['block_id']}, S. {one.get('page_number')}"
    if tool == "rag_synthesize" and rows:
        session["answer_sources"] = [one["block_id"] for one in rows]


async def verified(client: Client, session: Session, answer: str) -> dict[str, Any] | None:
    """What rag_verify_answer says; None where no block was seen, as for a mere list of documents."""
    numbered = dict.fromkeys([*session["answer_sources"], *reversed(session["sources"])])
    blocks = list(numbered)[:MOST_BLOCKS]
    if not blocks:
        return None
    return await ibid.call(client, "rag_verify_answer", {"answer": answer, "block_ids": blocks})


def faults(check: dict[str, Any]) -> str:
    """What the model is asked to correct; empty where each claim cites a source, and stands there."""
    found = {
        "These claims cite no source": check.get("uncited_claims"),
        "These claims do not stand in the sources that they cite": check.get("unsupported_claims"),
        "These citations name no source": check.get("invalid_citations"),
    }
    told = [f"{what}:\n" + "\n".join(f"- {one}" for one in those) for what, those in found.items() if those]
    return "\n".join([*told, "Correct, cite or leave these out, and write the whole answer again."]) if told else ""
