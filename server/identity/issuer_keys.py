"""The issuer's keys, fetched on demand and cached.

Tokens with made-up key ids cause at most one request per PAUSE seconds. Concurrent requests for keys share one fetch.
While the issuer is down, the last keys remain valid for STALE seconds. Requests to the issuer have a time limit and a
size limit, and follow no redirects.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import anyio
import structlog
from anyio.abc import TaskGroup
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from server.settings.checks import LOOPBACK, names_user
from server.settings.identity import ALGORITHMS, fits

PATIENCE = 5.0
"""Maximum number of seconds for an entire request."""
MAX_BYTES = 512 * 1024


class Unusable(Exception):
    """The object cannot be fetched or used. The message states the reason and quotes nothing from the issuer."""


class NotThere(Unusable):
    """The issuer has no such object."""


async def fetched(url: str) -> dict[str, Any]:
    """Fetch a JSON object. Raise Unusable if that fails."""
    import aiohttp

    secure = urlsplit(url).scheme == "https"
    try:
        async with (
            asyncio.timeout(PATIENCE),
            # Use no proxy for an issuer on this machine.
            aiohttp.ClientSession(trust_env=secure, auto_decompress=False) as session,
            session.get(url, allow_redirects=False, headers=_HEADERS) as answer,
        ):
            _refuse(answer.status)
            body = await answer.content.read(0)
            while part := await answer.content.read(65536):
                body += part
                if len(body) > MAX_BYTES:
                    raise Unusable("its answer is too long")
    except TimeoutError:
        raise Unusable(f"no answer within {PATIENCE:.0f} seconds") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Unusable(f"it cannot be reached ({type(error).__name__})") from None
    return _object(body)


_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


def _refuse(status: int) -> None:
    if status in (404, 410):
        raise NotThere(f"it does not exist (status {status})")
    if 300 <= status < 400:
        raise Unusable("it redirects, and redirects are not followed")
    if status != 200:
        raise Unusable(f"it fails (status {status})")


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Unusable("its answer is not JSON") from None
    if not isinstance(value, dict):
        raise Unusable("its answer is not a JSON object")
    return value


def is_trusted_source(url: object, issuer: str) -> bool:
    """Return whether keys may come from this URL: over https, or over loopback if the issuer is there too."""
    if not isinstance(url, str):
        return False
    try:
        parts, own = urlsplit(url), urlsplit(issuer)
        here = parts.scheme == own.scheme == "http" and parts.hostname in LOOPBACK
    except ValueError:
        return False
    return bool(parts.hostname) and not names_user(parts) and (parts.scheme == "https" or here)


MAX_KEYS = 100
MAX_NUMBER = 1400
"""Maximum length of a number in a key, in characters, which is about 8,400 bits. Longer keys would make verification
slow."""
_SECRET = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})

Jwk = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeySet:
    """Published keys that can verify signatures."""

    keys: tuple[Jwk, ...]

    def fit(self, algorithm: str) -> bool:
        """Return whether at least one key is for this algorithm."""
        return any(fits(jwk, algorithm) for jwk in self.keys)

    def find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """Return the key with this id for the algorithm, or, without `kid`, the only key for the algorithm. Return None
        unless exactly one key matches."""
        fitting = [jwk for jwk in self.keys if fits(jwk, algorithm) and kid in (None, jwk.get("kid"))]
        if len(fitting) != 1:
            return None
        try:
            return PyJWK(dict(fitting[0]), algorithm)
        except PyJWTError:
            return None


def key_set(published: Mapping[str, Any]) -> KeySet:
    """Return the usable keys of a JWKS. Raise Unusable if there are none."""
    listed = published.get("keys")
    if not isinstance(listed, list) or len(listed) > MAX_KEYS:
        raise Unusable("it publishes no valid key set")
    usable = tuple(jwk for jwk in listed if isinstance(jwk, dict) and _verifies(jwk))
    if not usable:
        raise Unusable("it publishes no key that can verify a signature")
    return KeySet(usable)


def _verifies(jwk: Jwk) -> bool:
    operations = jwk.get("key_ops", ["verify"])
    return (
        jwk.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
        and isinstance(jwk.get("kid", ""), str)
        and not _SECRET & jwk.keys()
        and all(len(str(jwk.get(number, ""))) <= MAX_NUMBER for number in ("n", "e", "x", "y"))
        and any(fits(jwk, algorithm) for algorithm in ALGORITHMS)
    )


async def keys_address(issuer: str, names: Container[str]) -> str:
    """Return the URL of the issuer's keys from its metadata. The issuer name in the metadata must be one of `names`.
    Raise Unusable if there is no usable URL."""
    metadata = await _metadata(issuer)
    if metadata.get("issuer") not in names:
        raise Unusable("its metadata belongs to another issuer")
    url = metadata.get("jwks_uri")
    if not isinstance(url, str) or not is_trusted_source(url, issuer):
        raise Unusable("its metadata contains no usable URL of keys")
    return url


async def _metadata(issuer: str) -> dict[str, Any]:
    try:
        return await fetched(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    except NotThere:
        parts = urlsplit(issuer)
        path = parts.path.rstrip("/")
        return await fetched(f"{parts.scheme}://{parts.netloc}/.well-known/oauth-authorization-server{path}")


log = structlog.stdlib.get_logger("ibid")

FRESH, STALE = 3600.0, 24 * 3600.0
"""Seconds for which keys are used without a new fetch, and seconds for which they remain in use while the issuer is
down."""
PAUSE = 30.0
"""Minimum number of seconds between two fetches, even if the first failed."""


class IssuerKeys:
    """A cache of the issuer's keys by id. `tasks` must outlive each request, because other requests may wait for the
    same fetch."""

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
        """Return the key, or None if the issuer does not have it or cannot be reached."""
        if self._age() > FRESH:
            await self._ask()
        key = self._find(kid, algorithm)
        if key is None:
            await self._ask()
            key = self._find(kid, algorithm)
        return key

    async def fetch(self) -> KeySet:
        """Fetch the keys now. Raise Unusable if that fails."""
        address = self._address or await keys_address(self._issuer, self._names)
        return key_set(await fetched(address))

    def _find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        return self._keys.find(kid, algorithm) if self._keys and self._age() <= STALE else None

    def _age(self) -> float:
        return self._clock() - self._fetched

    async def _ask(self) -> None:
        """Wait for the running fetch. If none is running and PAUSE seconds have passed since the last, start one and
        wait for it."""
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
        except Exception as error:  # no response from an issuer may end the server
            self._tell(f"it cannot be read ({type(error).__name__})")
        finally:
            self._flight = None
            flight.set()

    def _tell(self, reason: str) -> None:
        host = urlsplit(self._address or self._issuer).hostname
        kept = self._keys is not None and self._age() <= STALE
        log.warning("identity.keys", issuer=host, reason=reason, kept=kept)
