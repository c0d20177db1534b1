"""Fetch one prompt from Langfuse: `GET /api/public/v2/prompts/{name}`.

Not by its SDK: that brings OpenTelemetry's SDK and exporter along and starts a tracer of its own for one request that
aiohttp, which is here anyway, makes as well.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from urllib.parse import quote, urlsplit

from server.settings.telemetry import Wish

PATIENCE = 3.0
"""Seconds for one prompt."""
MAX_TEXT = 512 * 1024
"""Bytes of a response."""
_VARIABLE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")


class NotKept(Exception):
    """The prompt is unavailable. The message says why and quotes nothing of the service."""


class Langfuse:
    """A client of Langfuse's REST API."""

    def __init__(self, base_url: str, public_key: str, secret_key: str) -> None:
        self._base = base_url
        self._basic = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode()

    async def text(self, wish: Wish) -> str:
        """The text of a prompt, with its variables as `{name}`. Raises NotKept."""
        import aiohttp

        try:
            async with asyncio.timeout(PATIENCE):
                status, body = await self._got(wish)
        except TimeoutError:
            raise NotKept(f"no answer within {PATIENCE:.0f} seconds") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise NotKept(f"Langfuse is not reached ({type(error).__name__})") from None
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
                # Not packed: what little is read of a body could unpack to any size.
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
        raise NotKept("Langfuse answers what is no JSON") from None
    text = answer.get("prompt") if isinstance(answer, dict) else None
    if not isinstance(text, str):
        raise NotKept("it is no text prompt")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise NotKept("the prompt has half a letter in it, which cannot be written")
    return text
