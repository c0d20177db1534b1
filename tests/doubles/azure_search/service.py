"""The service on a socket, and its controls for tests."""

from __future__ import annotations

import copy
import secrets
import ssl
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from aiohttp import web

from tests.doubles.azure_search.access import Access
from tests.doubles.azure_search.certificate import write_certificate
from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.faults import Faults, Request
from tests.doubles.azure_search.front import MAX_BODY, Front
from tests.doubles.azure_search.operations import Operations
from tests.doubles.azure_search.vector_query import Vectorize


class StandIn:
    """An Azure AI Search service on 127.0.0.1, as a context manager. It is empty at first.

    `vectorize` replaces the vectorizer of any index whose definition has one. `indexing_delay` is in seconds. `seed`
    determines the order of equal hits, which are shuffled in each search.
    """

    def __init__(
        self, tls: bool = False, vectorize: Vectorize | None = None, indexing_delay: float = 0.0, seed: int = 0, *,
        port: int = 0,
    ) -> None:  # fmt: skip
        self.admin_key, self.query_key = secrets.token_hex(16), secrets.token_hex(16)
        self.endpoint = ""
        self.ca_file: str | None = None
        self.requests: list[Request] = []
        self.faults = Faults()
        self._access = Access(self.admin_key, self.query_key)
        self.tokens = self._access.tokens
        """Role of each bearer token: `reader` or `contributor`."""
        self._does = Operations(vectorize=vectorize, indexing_delay=indexing_delay, seed=seed)
        self.knowledge = self._does.knowledge
        self.user_tokens = self._does.user_tokens
        """Groups of each caller token. A search with such a token finds only rows with one of them in `group_ids`."""
        self._tls = tls
        self._port = port

    @property
    def semantic(self) -> str:
        """State of the semantic ranker: `full`, `partial` (206, not reranked) or `unavailable` (400)."""
        return self._does.ranker

    @semantic.setter
    def semantic(self, how: str) -> None:
        if how not in ("full", "partial", "unavailable"):
            raise ValueError(how)
        self._does.ranker = how

    def put_index(self, definition: Mapping[str, Any]) -> None:
        """Create or change an index. Raise `Refused` as over HTTP."""
        self._does.define(copy.deepcopy(dict(definition)))

    def put_documents(self, index: str, docs: Iterable[Mapping[str, Any]]) -> None:
        """Upload any number of documents. They and all earlier ones become searchable immediately.

        Raise `Refused` for documents that cannot be stored.
        """
        for answer in self._does.index(index).apply(list(docs), at_once=True):
            if not answer["status"]:
                raise Refused(answer["statusCode"], answer["errorMessage"])

    def documents(self, index: str) -> list[dict[str, Any]]:
        """Return every accepted document, with hidden fields, also those that are not searchable yet."""
        rows = self._does.index(index).stored.values()
        return [{name: _copied(value) for name, value in row.items()} for row in rows]

    def clear(self) -> None:
        """Reset to an empty service, with the same address, keys and tokens."""
        self._does.indexes.clear()
        self.knowledge.clear()
        self.user_tokens.clear()
        self.requests.clear()
        self.faults.clear()
        self.semantic = "full"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=4 * MAX_BODY)
        front = Front(self._does, self._access, self.faults, self.requests)
        app.router.add_route("*", "/{path:.*}", front.handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self._secured())
        await site.start()
        port = self._runner.addresses[0][1]
        self.endpoint = f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
        if self._tls:
            self._folder.cleanup()

    def _secured(self) -> ssl.SSLContext | None:
        if not self._tls:
            return None
        self._folder = TemporaryDirectory()
        authority, chain = write_certificate(Path(self._folder.name))
        self.ca_file = str(authority)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(chain)
        return context


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value
