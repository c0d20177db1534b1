"""Who asks, over stdio: the person whose client started this process, as the settings name them."""

from __future__ import annotations

from corpus.access import Caller
from server.settings import Settings

UNFILTERED = (
    "RAG_ALLOW_UNFILTERED is on: every access rule is off, and whoever reaches this server reads everything. "
    "Unset it for anything but tests."
)


def stdio_caller(settings: Settings) -> Caller:
    return Caller(
        user_id=settings.user_id,
        department=settings.department,
        org_id=settings.org_id,
        groups=frozenset(settings.groups),
        unfiltered=settings.allow_unfiltered,
    )
