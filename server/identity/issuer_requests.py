"""A JSON object from the issuer, within bounds on time and size, and from nowhere else."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

from server.settings.checks import LOOPBACK, names_user

PATIENCE = 5.0
"""Seconds for one object, from the first byte sent to the last one read."""
MAX_BYTES = 512 * 1024
"""Bytes."""


class Unusable(Exception):
    """What was asked for is not to be had; the text says why, in few words and none of the issuer's."""


class NotThere(Unusable):
    """The issuer has no such object."""


async def fetched(url: str) -> dict[str, Any]:
    """Raises Unusable."""
    import aiohttp

    secure = urlsplit(url).scheme == "https"
    try:
        async with (
            asyncio.timeout(PATIENCE),
            # A proxy of the environment is not asked for what is on this machine.
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
        raise NotThere(f"there is none (status {status})")
    if 300 <= status < 400:
        raise Unusable("it redirects to elsewhere, which is not followed")
    if status != 200:
        raise Unusable(f"it fails (status {status})")


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Unusable("its answer is no JSON") from None
    if not isinstance(found, dict):
        raise Unusable("its answer is no JSON object")
    return found


def may_be_asked(url: object, issuer: str) -> bool:
    """Whether keys may be taken from there: over https, or from this machine where the issuer is on it too."""
    if not isinstance(url, str):
        return False
    try:
        parts, own = urlsplit(url), urlsplit(issuer)
        here = parts.scheme == own.scheme == "http" and parts.hostname in LOOPBACK
    except ValueError:
        return False
    return bool(parts.hostname) and not names_user(parts) and (parts.scheme == "https" or here)
