"""What Ibid writes into the description of an index that it makes, so that a later reader need not be told."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARK = re.compile(r"Made by Ibid\. principals=(prefixed|plain)(?: embedder=([^\s;]{1,200}))?")


@dataclass(frozen=True, slots=True)
class Mark:
    """Whether its access lists tell user:, department:, org: and group: apart, and whose vectors it holds."""

    prefixed: bool
    embedder: str | None = None

    def __str__(self) -> str:
        embedder = f" embedder={self.embedder}" if self.embedder else ""
        return f"Made by Ibid. principals={'prefixed' if self.prefixed else 'plain'}{embedder}"


def mark_in(description: str) -> Mark | None:
    """The mark in the description of an index, None where Ibid did not make it."""
    found = _MARK.search(description)
    return Mark(found[1] == "prefixed", found[2]) if found else None
