"""Prompts from a registry, cached for a minute. The packaged text is the fallback for every failure.

The registry is Langfuse (`GET /api/public/v2/prompts/{name}`). Its SDK is not used: it requires OpenTelemetry's SDK and
exporter, and starts its own tracer, for a single request that aiohttp, already a dependency, can send as well.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import structlog
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from corpus.synthesis.prompting import Instructions
from prompts.texts import PromptText, UnusablePrompt, standing_in
from server.settings.telemetry import Wish

PATIENCE = 3.0
"""Maximum number of seconds to fetch one prompt."""
MAX_TEXT = 512 * 1024
"""Maximum size of a response, in bytes."""
_VARIABLE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")


class NotKept(Exception):
    """The prompt is unavailable. The message states the reason and quotes nothing from the service."""


class Langfuse:
    """A client of Langfuse's REST API."""

    def __init__(self, base_url: str, public_key: str, secret_key: str) -> None:
        self._base = base_url
        self._basic = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode()

    async def text(self, wish: Wish) -> str:
        """Return the text of a prompt, with its variables written as `{name}`. Raise NotKept if it is unavailable."""
        import aiohttp

        try:
            async with asyncio.timeout(PATIENCE):
                status, body = await self._got(wish)
        except TimeoutError:
            raise NotKept(f"no answer within {PATIENCE:.0f} seconds") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise NotKept(f"Langfuse cannot be reached ({type(error).__name__})") from None
        if status != 200:
            raise NotKept(_MEANINGS.get(status, f"Langfuse fails (status {status})"))
        return _VARIABLE.sub(r"{\1}", _prompt(body))

    async def _got(self, wish: Wish) -> tuple[int, bytes]:
        import aiohttp

        parameter = "version" if wish.which.isdigit() else "label"
        url = f"{self._base}/api/public/v2/prompts/{quote(wish.theirs, safe='')}"
        secure = urlsplit(url).scheme == "https"
        async with (
            aiohttp.ClientSession(
                # Request no compression: a small body could unpack to any size.
                headers={"Authorization": f"Basic {self._basic}", "Accept-Encoding": "identity"},
                trust_env=secure,
                auto_decompress=False,
            ) as session,
            session.get(url, params={parameter: wish.which}, allow_redirects=False) as answer,
        ):
            body = b""
            async for part in answer.content.iter_chunked(65_536):
                body += part
                if len(body) > MAX_TEXT:
                    raise NotKept("the prompt is too long")
            return answer.status, body


_MEANINGS = {
    401: "Langfuse does not accept the keys. Check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
    403: "Langfuse does not accept the keys. Check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
    404: "Langfuse has no such prompt, version or label",
}


def _prompt(body: bytes) -> str:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise NotKept("Langfuse's answer is not JSON") from None
    text = answer.get("prompt") if isinstance(answer, dict) else None
    if not isinstance(text, str):
        raise NotKept("it is not a text prompt")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise NotKept("the prompt contains half of a surrogate pair, which cannot be encoded")
    return text


class LivePrompt(PromptText):
    """A prompt whose text is read from the cache at each use."""

    __slots__ = ("_now",)
    _now: Callable[[], PromptText]

    def __init__(self, name: str, now: Callable[[], PromptText]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "_now", now)

    @property
    def text(self) -> str:
        """Return the last text from the registry, or the packaged text if there is none."""
        return self._now().text


class LiveInstructions(Instructions):
    """Synthesis instructions that are read from the cache at each use."""

    __slots__ = ("_prompt",)
    _prompt: PromptText

    def __init__(self, prompt: PromptText) -> None:
        object.__setattr__(self, "_prompt", prompt)

    @property
    def text(self) -> str:
        """Return the last text from the registry, or the packaged text if there is none."""
        return self._prompt.text

    @property
    def version(self) -> str:
        """Return the version of that text. Answers cached with another version are not reused."""
        return self._prompt.version


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
        """Fetch the prompts in `names` (all prompts if empty) whose cached texts have expired. If that fails, log the
        reason and raise nothing."""
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


NEEDS = {
    ("tools/call", "rag_synthesize"): "synthesis",
    ("prompts/get", "rag_system_prompt"): "rag_system_prompt",
}


class FreshPrompts:
    """Middleware that refreshes the prompts of a call."""

    def __init__(self, kept: KeptPrompts) -> None:
        self._kept = kept

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        params: Mapping[str, Any] = ctx.params or {}
        needed = NEEDS.get((ctx.method, str(params.get("name"))))
        if needed and "inputResponses" not in params:  # the second round of a call must use the first round's prompt
            await self._kept.refresh(needed)
        return await call_next(ctx)
