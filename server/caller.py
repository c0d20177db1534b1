"""The caller over stdio, and names and digests of callers."""

from __future__ import annotations

from hashlib import sha256

from corpus.access import Caller
from server.settings.model import Settings

UNFILTERED = (
    "RAG_ALLOW_UNFILTERED is on: all access rules are disabled, and everybody who reaches this server can read "
    "everything. Use it for tests only."
)


def stdio_caller(settings: Settings) -> Caller:
    """Return the caller that the settings describe, for stdio and the command line."""
    return Caller(
        user_id=settings.user_id,
        department=settings.department,
        org_id=settings.org_id,
        groups=frozenset(settings.groups),
        unfiltered=settings.allow_unfiltered,
    )


def names(caller: Caller) -> list[str]:
    """Return the principals of a caller, each prefixed with the initial of its kind: user, department, organisation,
    group."""
    parts = [("u", caller.user_id), ("d", caller.department), ("o", caller.org_id)]
    return [f"{kind}{name}" for kind, name in parts if name] + [f"g{group}" for group in sorted(caller.groups)]


def caller_digest(caller: Caller) -> bytes:
    """Return an eight-byte digest, which is the same for callers with the same principals."""
    return sha256("\0".join(names(caller)).encode("utf-8", "surrogatepass")).digest()[:8]
