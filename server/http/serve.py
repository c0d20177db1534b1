"""`ibid serve --http`: listen, serve, and end on a signal."""

from __future__ import annotations

import socket
import sys
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING

import anyio
import structlog
from anyio.abc import TaskStatus

from corpus.errors import NotConfigured
from server.app import own_version
from server.http.application import Endpoint, endpoint
from server.http.binding import Address, bind, listen
from server.logs import configure_logs
from server.serving import keep_up_once, load_once, parts, signalled
from server.settings.model import Settings, where

if TYPE_CHECKING:
    from server.identity.identity_parts import Identity

HOW_TO_KNOW = (
    "Set RAG_AUTH_ISSUER and RAG_AUTH_AUDIENCE for tokens of your identity provider, or RAG_API_KEYS for your own "
    "keys (`ibid key` creates them)."
)
HOW_TO_NAME = (
    "Set RAG_HTTP_ALLOWED_HOSTS to the names that clients use, such as ibid.example.org, or RAG_HTTP_PUBLIC_URL to the "
    "full address."
)
SWITCH_SECONDS = 0.001
"""Seconds after which a computing thread yields the interpreter lock. With Python's default of 0.005, the event loop
waits longer for it: in `python -m bench hostile`, the p95 of `/healthz` is 0.47 s instead of 0.37 s."""
HERE_ALONE = "Or listen at 127.0.0.1, for this machine only."


def refuse_unfiltered(settings: Settings) -> None:
    """Raise NotConfigured if RAG_ALLOW_UNFILTERED is on."""
    if settings.allow_unfiltered:
        raise NotConfigured(
            "RAG_ALLOW_UNFILTERED is on: over HTTP, everybody who reaches the server could read everything. Unset it."
        )


def refuse_exposed(settings: Settings, address: Address, known: Identity | None) -> None:
    """Raise NotConfigured if other machines can reach the server, but it cannot identify callers or has no configured
    host name."""
    if address.is_loopback:
        return
    missing = []
    if known is None:
        missing.append(HOW_TO_KNOW)
    if not settings.http_allowed_hosts and not settings.http_public_url:
        missing.append(HOW_TO_NAME)
    if missing:
        what = "without identifying callers" if known is None else "without a list of its host names"
        raise NotConfigured(
            f"{address} can be reached from other machines, and the server does not listen there {what}.",
            hints=(*missing, HERE_ALONE),
        )


log = structlog.stdlib.get_logger("ibid")

UNKNOWN = "Callers are anonymous: everybody can read public documents, and no others."
KNOWN = "Callers are identified by their bearer tokens."


async def serve(settings: Settings, address: Address) -> None:
    """Serve until a signal arrives. Raise NotConfigured or InvalidRequest, possibly in an exception group."""
    refuse_unfiltered(settings)
    configure_logs(settings)
    sys.setswitchinterval(SWITCH_SECONDS)
    listener, bound = bind(address)
    with listener:
        async with known_callers(settings, settings.http_public_url or bound.url) as known:
            refuse_exposed(settings, address, known)
            await _serve(settings, known, listener, bound)


def known_callers(settings: Settings, public_url: str) -> AbstractAsyncContextManager[Identity | None]:
    """Return the identity that the settings configure, or None if they configure none. Raise NotConfigured if it is
    invalid."""
    if settings.auth_issuer is None and settings.api_keys is None:
        return nullcontext()
    from server.identity.identity_parts import identity

    return identity(settings, public_url)


async def _serve(settings: Settings, known: Identity | None, listener: socket.socket, bound: Address) -> None:
    at_once = anyio.Event()
    at_once.set()
    async with parts(settings, of_many=True) as shared, anyio.create_task_group() as tasks:
        made = endpoint(settings, shared.library, shared.models.handed, known, bound)
        await tasks.start(_end_on_signal, made, settings.http_close_seconds)
        tasks.start_soon(made.readiness.follow, shared.library)
        tasks.start_soon(load_once, at_once, shared.library)
        tasks.start_soon(keep_up_once, at_once, settings)
        listen(listener, bound)
        _announce(settings, known, bound)
        await made.running.serve([listener])
        tasks.cancel_scope.cancel()


def _announce(settings: Settings, known: Identity | None, bound: Address) -> None:
    log.info("server.start", transport="http", version=own_version(), index=where(settings), address=str(bound))
    if settings.user_id or settings.department or settings.org_id or settings.groups:
        log.warning(
            "server.note",
            note="RAG_USER_ID and the like identify the caller over stdio. Over HTTP they have no effect.",
        )
    public = f", for clients {settings.http_public_url}" if settings.http_public_url else ""
    sys.stderr.write(f"Ibid listens at {bound.url}{public}. {KNOWN if known else UNKNOWN}\n")
    sys.stderr.flush()


async def _end_on_signal(
    made: Endpoint, seconds: float, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    await signalled(task_status=task_status)
    await made.end(seconds)
