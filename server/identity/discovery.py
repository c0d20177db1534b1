"""Where an issuer keeps its keys, as its metadata says (OpenID Connect Discovery, RFC 8414)."""

from __future__ import annotations

from collections.abc import Container
from typing import Any
from urllib.parse import urlsplit

from server.identity.fetching import NotThere, Unusable, fetched, may_be_asked


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
