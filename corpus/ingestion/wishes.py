"""What the person who keeps the index asked for beside the paths."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wishes:
    """None leaves what a document has, or the default.

    `allow` holds for every document under the paths, `allow_new` for new ones alone, and less than the list of a
    document of equal bytes. `prune` removes documents whose files have vanished, are left out or lie where a link
    leads out, `prune_empty` also those of a folder that is gone or empty as a whole. `by_time` takes a file of the
    same size and time for unchanged.
    """

    allow: tuple[str, ...] | None = None
    allow_new: tuple[str, ...] | None = None
    department: str | None = None
    document_type: str | None = None
    prune: bool = False
    prune_empty: bool = False
    by_time: bool = False


NO_WISHES = Wishes()
