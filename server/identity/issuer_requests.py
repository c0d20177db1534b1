"""Fetch a JSON object from the issuer, with limits of time and size and without redirects."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

from server.settings.checks import LOOPBACK, names_user

PATIENCE = 5.0
"""Seconds for a whole request."""
MAX_BYTES = 512 * 1024


class Unusable(Exception):
    """The object cannot be fetched or used. The message says why and quotes nothing of the issuer."""


class NotThere(Unusable):
    """The issuer has no such object."""


async def fetched(url: str) -> dict[str, Any]:
    """Fetch a JSON object. Raises Unusable."""
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
        raise Unusable(f"it is not reached ({type(error).__name__})") from None
    return _object(body)


_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


def _refuse(status: int) -> None:
    if status in (404, 410):
        raise NotThere(f"it does not exist (status {status})")
    if 300 <= status < 400:
        raise Unusable("it redirects, which is not followed")
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
    """Whether keys may come from this URL: over https, or over loopback if the issuer is there too."""
    if not isinstance(url, str):
        return False
    try:
        parts, own = urlsplit(url), urlsplit(issuer)
        here = parts.scheme == own.scheme == "http" and parts.hostname in LOOPBACK
    except ValueError:
        return False
    return bool(parts.hostname) and not names_user(parts) and (parts.scheme == "https" or here)
