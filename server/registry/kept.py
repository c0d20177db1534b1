"""Prompts by name, cached from the registry, with the packaged ones as fallback."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence

import structlog

from prompts.texts import PromptText, UnusablePrompt, standing_in
from server.registry.langfuse import Langfuse, NotKept
from server.registry.live import LivePrompt
from server.settings.telemetry import Wish

log = structlog.stdlib.get_logger("ibid")

FRESH = 60.0
"""Seconds for which a text or a failure is cached."""


class KeptPrompts(Mapping[str, PromptText]):
    """The cached prompts. Only `refresh` sends requests."""

    def __init__(self, packaged: Mapping[str, PromptText], wishes: Sequence[Wish], langfuse: Langfuse) -> None:
        self._packaged, self._wishes, self._langfuse = packaged, {one.ours: one for one in wishes}, langfuse
        self._held: dict[str, PromptText] = {}
        self._asked: dict[str, float] = {}
        self._told: set[tuple[str, str]] = set()
        self._asking = asyncio.Lock()

    def __getitem__(self, name: str) -> PromptText:
        packaged = self._packaged[name]
        return LivePrompt(name, lambda: self._held.get(name, packaged)) if name in self._wishes else packaged

    def __iter__(self) -> Iterator[str]:
        return iter(self._packaged)

    def __len__(self) -> int:
        return len(self._packaged)

    async def refresh(self, *names: str) -> None:
        """Fetch those of `names`, or of all, whose cache has expired. Never raises."""
        async with self._asking:
            due = [one for name, one in self._wishes.items() if name in (names or self._wishes) and self._due(name)]
            await asyncio.gather(*map(self._refreshed, due))

    def _due(self, name: str) -> bool:
        return time.monotonic() - self._asked.get(name, -FRESH) >= FRESH

    async def _refreshed(self, wish: Wish) -> None:
        """Fetch one prompt. A cached text remains in use while the service is down."""
        self._asked[wish.ours] = time.monotonic()
        try:
            text = await self._langfuse.text(wish)
            self._held[wish.ours] = standing_in(self._packaged[wish.ours], text)
        except NotKept as why:
            self._tell(wish, str(why))
        except UnusablePrompt as why:
            self._held.pop(wish.ours, None)
            self._tell(wish, f"it {why}")

    def _tell(self, wish: Wish, why: str) -> None:
        """Log each reason once."""
        if (wish.ours, why) not in self._told:
            self._told.add((wish.ours, why))
            used = "the one kept before" if wish.ours in self._held else "packaged"
            log.warning("prompts.not_kept", prompt=wish.ours, asked=f"{wish.theirs}@{wish.which}", why=why, used=used)
