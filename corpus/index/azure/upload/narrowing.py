"""Which list a row may have while its document is being changed."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.access import PUBLIC


def narrowed(old: Sequence[str] | None, new: Sequence[str]) -> list[str]:
    """The list for what is still there of a document's former self: nobody whom the old list did not admit, and nobody
    whom the new one does not. An unknown old list admits nobody."""
    if old is None:
        return []
    if PUBLIC in new:
        return list(old)
    if PUBLIC in old:
        return list(new)
    return [one for one in old if one in new]
