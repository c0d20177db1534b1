"""The issuer's keys, fetched when a token needs them and kept for a while.

Whoever sends tokens with made-up key ids cannot make us ask the issuer more often than once in `PAUSE`, and requests
that want its keys at the same time wait for one answer. While the issuer is down its last keys go on being used, until
they are too old to be trusted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from typing import Any
from urllib.parse import urlsplit

import anyio
import structlog
from anyio.abc import TaskGroup
from jwt import PyJWK

from server.identity.issuer_requests import NotThere, Unusable, fetched, may_be_asked
from server.identity.key_set import KeySet, key_set


async def keys_address(issuer: str, names: Container[str]) -> str:
    """Raises Unusable. `names` are what the metadata may call the issuer: under another name it is not its own."""
    metadata = await _metadata(issuer)
    if metadata.get("issuer") not in names:
        raise Unusable("its metadata is of another issuer")
    found = metadata.get("jwks_uri")
    if not isinstance(found, str) or not may_be_asked(found, issuer):
        raise Unusable("its metadata names no usable address of keys")
    return found


async def _metadata(issuer: str) -> dict[str, Any]:
    try:
        return await fetched(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    except NotThere:
        parts = urlsplit(issuer)
        path = parts.path.rstrip("/")
        return await fetched(f"{parts.scheme}://{parts.netloc}/.well-known/oauth-authorization-server{path}")


log = structlog.stdlib.get_logger("ibid")

FRESH, STALE = 3600.0, 24 * 3600.0
"""Seconds for which keys are used unasked, and for which they are used while the issuer does not answer."""
PAUSE = 30.0
"""Seconds between two questions, whatever came of the first."""


class IssuerKeys:
    """`tasks` outlive a request: a client that goes away does not end the fetching that others wait for."""

    def __init__(
        self, issuer: str, names: Container[str], address: str | None, tasks: TaskGroup,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._issuer, self._names, self._address = issuer, names, address
        self._tasks, self._clock = tasks, clock
        self._keys: KeySet | None = None
        self._fetched = self._asked = float("-inf")
        self._flight: anyio.Event | None = None

    async def find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """None where the issuer has no such key, or cannot be asked."""
        if self._age() > FRESH:
            await self._ask()
        found = self._find(kid, algorithm)
        if found is None:
            await self._ask()
            found = self._find(kid, algorithm)
        return found

    async def fetch(self) -> KeySet:
        """The keys, asked for now. Raises Unusable."""
        address = self._address or await keys_address(self._issuer, self._names)
        return key_set(await fetched(address))

    def _find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        return self._keys.find(kid, algorithm) if self._keys and self._age() <= STALE else None

    def _age(self) -> float:
        return self._clock() - self._fetched

    async def _ask(self) -> None:
        """Return when the question under way, or a new one where it is time for one, has been answered."""
        if self._flight is None:
            if self._clock() - self._asked < PAUSE:
                return
            self._asked, self._flight = self._clock(), anyio.Event()
            self._tasks.start_soon(self._refresh, self._flight)
        await self._flight.wait()

    async def _refresh(self, flight: anyio.Event) -> None:
        try:
            self._keys = await self.fetch()
            self._fetched = self._clock()
        except Unusable as error:
            self._tell(str(error))
        except Exception as error:  # whatever an issuer brings about, the server goes on
            self._tell(f"it cannot be read ({type(error).__name__})")
        finally:
            self._flight = None
            flight.set()

    def _tell(self, reason: str) -> None:
        host = urlsplit(self._address or self._issuer).hostname
        kept = self._keys is not None and self._age() <= STALE
        log.warning("identity.keys", issuer=host, reason=reason, kept=kept)
