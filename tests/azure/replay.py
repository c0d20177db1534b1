"""Recorded answers of Azure AI Search, replayed by a local service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True)
class Recorded:
    """A recorded answer. `name` begins with the kind of request: search, spec_search, error, index_batch, lookup,
    count, create_index."""

    name: str
    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Recorded:
        said = json.loads(file.read_text("utf-8"))
        return cls(file.stem, said["status"], said["body"], said["headers"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        return list(self.body["value"])

    @property
    def kind(self) -> str:
        """Kind of ranking, which determines the meaning of the scores."""
        if any("@search.rerankerScore" in row for row in self.rows):
            return "semantic"
        return next((kind for kind in ("hybrid", "vector") if kind in self.name), "text")

    def as_blocks(self) -> Recorded:
        """Return the rows as rows of a content index that has the documents' names. Scores and captions are unchanged.

        There is no second page, because it would repeat the first.
        """
        body = {name: said for name, said in self.body.items() if "next" not in name}
        return replace(self, body=body | {"value": [_block(n, row) for n, row in enumerate(self.rows)]})


def of(answers: Iterable[Recorded], *kinds: str) -> list[Recorded]:
    """Return the recordings whose names begin with this text. There must be at least one."""
    found = [one for one in answers if one.name.startswith(kinds)]
    assert found, kinds
    return found


class Replay:
    """An async context manager. Every request gets `answer`. The index definition may not be read, unless `answer` is
    that definition."""

    def __init__(self) -> None:
        self.answer = Recorded("nothing", 404, None)
        self.requests: list[Any] = []

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.endpoint = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.Response:
        data = await request.read()
        self.requests.append(json.loads(data) if data else None)
        defines = request.method == "GET" and "/docs" not in request.path
        if defines and not self.answer.name.startswith(("create_index", "error")):
            return web.Response(status=403)
        return _response(self.answer)


def _response(answer: Recorded) -> web.Response:
    text = "" if answer.body is None else json.dumps(answer.body)
    kind = {} if answer.body is None else {"Content-Type": "application/json; charset=utf-8"}
    return web.Response(status=answer.status, body=text.encode(), headers=kind | dict(answer.headers))


def _block(number: int, row: Mapping[str, Any]) -> dict[str, Any]:
    ranked = {name: value for name, value in row.items() if name.startswith("@")}
    return ranked | {
        "block_id": f"b-{number}", "doc_id": f"d-{number}", "block_type": "text", "filename": f"{number}.pdf",
        "content": str(row.get("description") or ""), "page_number": number + 1, "access_control_list": ["*"],
    }  # fmt: skip
