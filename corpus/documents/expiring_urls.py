"""Warn about figure links in an index whose signature has expired."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from corpus.documents.block import Block


def expired_warnings(blocks: Iterable[Block], now: datetime | None = None) -> tuple[str, ...]:
    """One sentence where figure links are signed and the signature has expired (the `se` of a SAS URL)."""
    now = now or datetime.now(UTC)
    expired = [block.block_id for block in blocks if block.image_url and _has_expired(block.image_url, now)]
    if not expired:
        return ()
    subject = (
        f"block {expired[0]}" if len(expired) == 1 else f"{len(expired)} figures, the first of block {expired[0]},"
    )
    verb = "has" if len(expired) == 1 else "have"
    return (
        f"The link to the figure of {subject} {verb} expired, so it may not open. "
        "The owner of the index can renew the links.",
    )


def _has_expired(url: str, now: datetime) -> bool:
    try:
        signed = parse_qs(urlsplit(url).query)
        ends = datetime.fromisoformat(signed["se"][0]) if "sig" in signed else None
    except (ValueError, KeyError):  # no address, no signature of that kind, no date
        return False
    if ends is None:
        return False
    return (ends if ends.tzinfo else ends.replace(tzinfo=UTC)) < now
