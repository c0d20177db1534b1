"""The audit log: one line of JSON for each access decision. It holds no passage, query or secret.

What cannot be recorded is not answered: a decision without its line would be one that nobody can prove.
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
from corpus.index.azure.odata import build_security_filter
from server.caller import caller_digest
from server.settings.model import Settings

log = structlog.stdlib.get_logger("ibid")

MAX_DOCUMENTS = 50
MAX_TEXT = 200
"""Characters of one text in a line."""


class Unrecorded(Exception):
    """A line could not be written."""


class Audit:
    """Appends to one file, from any number of processes: each line is one write. Without a path it records nothing.
    With `filter_text`, a line has the access filter of the caller as it is written, not its digest."""

    def __init__(self, path: Path | None, *, filter_text: bool = False) -> None:
        self._path = path
        self.filter_text = filter_text

    @property
    def on(self) -> bool:
        """Whether there is a file to write to."""
        return self._path is not None

    async def record(self, what: str, who: dict[str, Any], **facts: Any) -> None:
        """Raises Unrecorded, which also goes to the log, where the line cannot be written whole."""
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

    async def image(self, block_id: str | None, who: bytes | None, given: bool) -> None:
        """A picture that was fetched by its address; without a block the address was none of ours."""
        known = {"caller": f"sha256:{who.hex()}"} if who else {"caller": None}
        outcome = "ok" if given else "refused"
        await self.record("image", known, block=block_id, count=int(given), outcome=outcome)


NO_AUDIT = Audit(None)


def audit(settings: Settings) -> Audit:
    """As the settings want it."""
    return Audit(settings.audit_file, filter_text=settings.audit_filter == "text")


def who_asks(caller: Caller, *, filter_text: bool = False) -> dict[str, Any]:
    """The caller's own names; groups, which may be hundreds, as a number. `access_filter` is the rule that their
    answers went through, with the kinds of names: its text, or its digest."""
    rule = build_security_filter(caller, prefixed=True)
    shown = rule if filter_text or rule is None else digest(rule)
    return {
        "caller": f"sha256:{caller_digest(caller).hex()}",
        "user": bounded(caller.user_id),
        "department": bounded(caller.department),
        "org": bounded(caller.org_id),
        "groups": len(caller.groups),
        "access_filter": shown or "none",
    }


def digest(text: str) -> str:
    """A digest of a text, to tell equal ones without keeping them."""
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def bounded(text: str | None) -> str | None:
    """The start of the text, as much as a line may hold."""
    return text and text[:MAX_TEXT]


def _append(path: Path, line: bytes) -> None:
    # Opened anew for each line, so that a file that was moved away for rotation gets none of the next ones.
    flags = (
        os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    )
    descriptor = os.open(path, flags, 0o600)
    try:
        if os.write(descriptor, line) != len(line):
            raise OSError(28, "no space for the whole line")
    finally:
        os.close(descriptor)
