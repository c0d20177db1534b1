"""Documents whose files an ingestion did not come to: vanished, left out since, or on a drive that is not connected."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from corpus.documents import Document
from corpus.ingestion.identity import is_gone
from corpus.ingestion.opening import Roots, leads_out
from corpus.ingestion.places import is_hidden, is_under
from corpus.ingestion.sources import left_out

Why = Literal["vanished", "left out", "leads out", "empty"]


class Missing(NamedTuple):
    """`empty` is said where the folder that a file lay in, or the next above that is there, holds nothing at all, or
    where the whole root is gone: as with a drive that is not connected. `folder` is that folder."""

    document: Document
    why: Why
    folder: Path

    def told(self, *, pruned: bool) -> str:
        """What is to be known of one that is kept."""
        match self.why:
            case "vanished":
                return ""
            case "left out":
                return "left out by .ibidignore, and still in the index"
            case "leads out":
                return "a link there leads out of the folders now, and it is still in the index"
            case "empty":
                kept = "; kept, --prune-empty removes it" if pruned else ""
                return f"{self.folder} is empty or gone, as a drive that is not connected{kept}"


def missing(
    known: dict[str, Document],
    present: Collection[Path],
    roots: Sequence[Path],
    changed: Sequence[Path] | None = None,
    within: Roots = None,
) -> Iterator[Missing]:
    """Those under the roots, in the order of their places; with `changed` only those at these places. Looks at the
    disk; call it on a thread."""
    where = roots if changed is None else changed
    for place, document in sorted(known.items()):
        path = Path(place)
        root = next((one for one in roots if is_under(path, one)), None)
        if root is None or path in present or not any(is_under(path, one) for one in where):
            continue
        if is_gone(document):
            folder = _next_above(path)
            yield Missing(document, "empty" if _is_disconnected(folder, root, path) else "vanished", folder)
        elif left_out(path, roots):
            yield Missing(document, "left out", path.parent)
        elif leads_out(path, within):
            yield Missing(document, "leads out", path.parent)


def _next_above(path: Path) -> Path:
    return next((folder for folder in path.parents if folder.is_dir()), path.parent)


def _is_disconnected(folder: Path, root: Path, path: Path) -> bool:
    if root != path and not is_under(folder, root):
        return True
    try:
        return all(map(is_hidden, os.listdir(folder)))
    except OSError:
        return True
