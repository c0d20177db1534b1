"""The audit log: one line of JSON per access decision, without passages, queries or secrets.

A decision that cannot be recorded is not carried out.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio.to_thread
import structlog

from corpus.access import Caller
from corpus.odata import build_security_filter
from server.caller import caller_digest
from server.settings.model import Settings

log = structlog.stdlib.get_logger("ibid")

MAX_DOCUMENTS = 50
MAX_TEXT = 200
"""Characters of a text in a line."""


class Unrecorded(Exception):
    """The line could not be written."""


class Audit:
    """Appends lines to a file, one write each, from any number of processes. Without a path it records nothing. With
    `filter_text`, lines contain the text of the access filter instead of its digest."""

    def __init__(self, path: Path | None, *, filter_text: bool = False) -> None:
        self._path = path
        self.filter_text = filter_text

    @property
    def on(self) -> bool:
        """Whether there is a file."""
        return self._path is not None

    async def record(self, what: str, who: dict[str, Any], **facts: Any) -> None:
        """Append a line. Raises Unrecorded, and logs the reason, if it cannot be written whole."""
        if self._path is None:
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": now, "event": what, **who, **facts}
        whole = (json.dumps(line, ensure_ascii=True, default=str) + "\n").encode()
        try:
            await anyio.to_thread.run_sync(_append, self._path, whole)
        except OSError as error:
            log.error("audit.unwritten", reason=error.strerror or type(error).__name__)
            raise Unrecorded from error

    async def image(self, block_id: str | None, who: bytes | None, is_served: bool) -> None:
        """Record the fetch of a picture by URL. `block_id` is None for an invalid URL."""
        known = {"caller": f"sha256:{who.hex()}"} if who else {"caller": None}
        outcome = "ok" if is_served else "refused"
        await self.record("image", known, block=block_id, count=int(is_served), outcome=outcome)


NO_AUDIT = Audit(None)


def audit(settings: Settings) -> Audit:
    """The audit log of the settings."""
    return Audit(settings.audit_file, filter_text=settings.audit_filter == "text")


def who_asks(caller: Caller, *, filter_text: bool = False) -> dict[str, Any]:
    """The caller's principals, with groups as a count because there may be hundreds. `access_filter` is the text or the
    digest of the caller's access filter, with prefixed principals."""
    rule = build_security_filter(caller, prefixed=True)
    access_filter = rule if filter_text or rule is None else digest(rule)
    return {
        "caller": f"sha256:{caller_digest(caller).hex()}",
        "user": bounded(caller.user_id),
        "department": bounded(caller.department),
        "org": bounded(caller.org_id),
        "groups": len(caller.groups),
        "access_filter": access_filter or "none",
    }


def digest(text: str) -> str:
    """A digest by which equal texts can be recognised."""
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def bounded(text: str | None) -> str | None:
    """The first MAX_TEXT characters."""
    return text and text[:MAX_TEXT]


def _append(path: Path, line: bytes) -> None:
    # Open the file for each line, so that a rotated file gets no further ones.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        if os.write(descriptor, line) != len(line):
            raise OSError(28, "no space for the whole line")
    finally:
        os.close(descriptor)
