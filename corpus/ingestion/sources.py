"""Which files an ingestion is about."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corpus.ingestion.ignore_rules import Ignored, UnclearRules
from corpus.ingestion.opening import Roots
from corpus.ingestion.places import absolute, is_there, is_under
from corpus.ingestion.walking import Bounds, Walk


@dataclass(frozen=True, slots=True)
class Sources:
    """Absolute paths, sorted, each once; `passed_over` counts files of kinds that no reader takes, `closed` holds
    folders that could not be looked into, with the reason, and `outside` links that lead out of what was named.
    `within` is where the files must lie when they are opened."""

    files: tuple[Path, ...]
    passed_over: Counter[str]
    closed: tuple[tuple[Path, str], ...] = ()
    outside: tuple[Path, ...] = ()
    within: Roots = None


@dataclass(frozen=True, slots=True)
class Scope:
    """How far a walk goes; see `corpus.ingestion.walking.Walk`."""

    follow_links: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    apart: Path | None = None


USUAL = Scope()


def sources_under(
    paths: Iterable[Path],
    readable: frozenset[str],
    scope: Scope = USUAL,
    *,
    changed: Sequence[Path] | None = None,
) -> Sources:
    """Readable files under these paths; with `changed` only what lies at those places among them.

    Hidden files and folders are left alone, and what a file .ibidignore names. A file named itself is taken whatever
    its kind: its reader says what is wrong with it. Raises InvalidRequest beyond the bounds of the scope.
    """
    roots = list(map(absolute, paths))
    walk = Walk(roots, readable, scope.follow_links, scope.bounds, scope.apart)
    for root in roots:
        parts = [root] if changed is None else [one for one in changed if is_under(one, root)]
        if not os.path.isdir(root):
            if parts and is_there(root):
                walk.files[root] = None
            continue
        for part in parts:
            if part == root or is_there(part, follow_symlinks=False):
                walk.part_of(root, part)
    return Sources(
        tuple(sorted(walk.files)),
        walk.passed_over,
        tuple(walk.closed.items()),
        tuple(sorted(walk.outside)),
        walk.within,
    )


def left_out(path: Path, roots: Iterable[Path]) -> bool:
    """Whether a file .ibidignore names this path, under whichever of the roots it lies. Unclear rules name nothing."""
    try:
        return any(Ignored(root).hides(path) for root in roots if root in path.parents)
    except UnclearRules:
        return False
