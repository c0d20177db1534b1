"""A local prompt registry, with the part of Langfuse's REST API that returns prompts."""

from __future__ import annotations

import asyncio
import base64
from types import TracebackType
from typing import Any, Self

from aiohttp import web

PUBLIC, SECRET = "pk-lf-of-the-tests", "sk-lf-of-the-tests"
BASIC = "Basic " + base64.b64encode(f"{PUBLIC}:{SECRET}".encode()).decode()


class PromptRegistry:
    """An async context manager. `put` adds a version. If `act` is set, it answers instead of the registry."""

    def __init__(self) -> None:
        self._versions: dict[str, list[dict[str, Any]]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.act: web.Response | str | None = None

    def put(self, name: str, prompt: object, *labels: str) -> int:
        """Add a version and return its number. A label moves to the newest version that has it."""
        versions = self._versions.setdefault(name, [])
        for one in versions:
            one["labels"] = [label for label in one["labels"] if label not in labels]
        kind = "text" if isinstance(prompt, str) else "chat"
        row = {"name": name, "version": len(versions) + 1, "type": kind, "prompt": prompt}
        versions.append(row | {"labels": list(labels), "config": {}, "tags": []})
        return len(versions)

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/api/public/v2/prompts/{name}", self._get)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _get(self, request: web.Request) -> web.Response:
        name, query = request.match_info["name"], dict(request.query)
        self.asked.append((name, query))
        if self.act == "hang":
            await asyncio.sleep(3600)
        if isinstance(self.act, web.Response):
            return self.act
        if request.headers.get("Authorization") != BASIC:
            return web.json_response({"message": "Invalid credentials"}, status=401)
        for one in self._versions.get(name, ()):
            if query.get("version") == str(one["version"]) or query.get("label") in one["labels"]:
                return web.json_response(one)
        return web.json_response({"message": "Prompt not found"}, status=404)
