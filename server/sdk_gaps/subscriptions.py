"""The resources and lists that a client subscribed to, and what its caller last saw of them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent

from corpus.access import Caller
from corpus.visibility_digest import VisibilityDigests

MAX_ADDRESSES = 200
"""URIs of one client."""
MAX_ADDRESS = 2_000

_DOCUMENT = re.compile(r"rag://documents/([^/]+)(?:/pages/[^/]+(?:/image)?)?")
_BLOCK = re.compile(r"rag://blocks/([^/]+)/image")


def token_ends() -> int | None:
    """When the token of the current request expires, in seconds since 1970, or None."""
    token = get_access_token()
    return token.expires_at if token else None


@dataclass(eq=False)
class Subscription:
    """A client's subscription. `tell` passes events on without blocking; `end` ends the stream. Its token is valid
    until the Unix time `expires`."""

    caller: Caller
    tell: Callable[[ServerEvent], None]
    end: Callable[[], None]
    uris: set[str] = field(default_factory=set)
    of_lists: bool = False
    expires: int | None = field(default_factory=token_ends)
    seen: dict[str, str | None] = field(default_factory=dict)
    extent: str | None = None

    @property
    def expired(self) -> bool:
        """Whether its caller's token has expired."""
        return self.expires is not None and time.time() >= self.expires


@dataclass(frozen=True, slots=True)
class View:
    """What a caller sees now: a digest per URI."""

    of: dict[str, str | None]
    extent: str | None


async def view(sight: VisibilityDigests, caller: Caller, interests: Iterable[Subscription]) -> View:
    """What the caller sees of all URIs in these subscriptions. Raises what the index raises."""
    interests = list(interests)
    uris = {uri for interest in interests for uri in interest.uris}
    documents = await sight.documents(_ids(_DOCUMENT, uris), caller)
    blocks = await sight.blocks(_ids(_BLOCK, uris), caller)
    lists = any(one.of_lists for one in interests)
    seen = {uri: _seen(uri, documents, blocks) for uri in uris}
    return View(seen, await sight.extent(caller) if lists else None)


def begin(interest: Subscription, now: View) -> None:
    """Take the current state as the baseline of new URIs."""
    for uri in interest.uris:
        interest.seen.setdefault(uri, now.of.get(uri))
    interest.extent = interest.extent or now.extent


def news(interest: Subscription, now: View) -> list[ServerEvent]:
    """The changes since the last check, which then count as notified."""
    changed: list[ServerEvent] = [
        ResourceUpdated(uri)
        for uri in sorted(interest.uris)
        if uri in interest.seen and uri in now.of and interest.seen[uri] != now.of[uri]
    ]
    if interest.of_lists and now.extent is not None:
        if interest.extent not in (None, now.extent):
            changed.append(ResourcesListChanged())
        interest.extent = now.extent
    interest.seen = {uri: now.of.get(uri, interest.seen.get(uri)) for uri in interest.uris}
    return changed


def _ids(kind: re.Pattern[str], uris: Collection[str]) -> set[str]:
    return {match[1] for uri in uris if (match := kind.fullmatch(uri))}


def _seen(uri: str, documents: dict[str, str], blocks: dict[str, str]) -> str | None:
    document, block = _DOCUMENT.fullmatch(uri), _BLOCK.fullmatch(uri)
    if document:
        return documents.get(document[1])
    return blocks.get(block[1]) if block else None
