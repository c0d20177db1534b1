"""Identify the caller over stdio, from the settings, and the words by which logs name a caller."""

from __future__ import annotations

from hashlib import sha256

from corpus.access import Caller
from server.settings.model import Settings

UNFILTERED = (
    "RAG_ALLOW_UNFILTERED is on: every access rule is off, and whoever reaches this server reads everything. "
    "Unset it for anything but tests."
)


def stdio_caller(settings: Settings) -> Caller:
    """The caller that the settings name, for stdio and the command line."""
    return Caller(
        user_id=settings.user_id,
        department=settings.department,
        org_id=settings.org_id,
        groups=frozenset(settings.groups),
        unfiltered=settings.allow_unfiltered,
    )


def names(caller: Caller) -> list[str]:
    """All that is known of a caller, each with a letter for its kind: user, department, organisation, groups."""
    parts = [("u", caller.user_id), ("d", caller.department), ("o", caller.org_id)]
    return [f"{kind}{name}" for kind, name in parts if name] + [f"g{one}" for one in sorted(caller.groups)]


def caller_digest(caller: Caller) -> bytes:
    """Eight bytes that are the same for callers with the same names."""
    return sha256("\0".join(names(caller)).encode("utf-8", "surrogatepass")).digest()[:8]
