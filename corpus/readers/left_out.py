"""Warn about content that a reader left out, by kind and count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def left_out_warnings(counts: Mapping[str, int], unseen: int = 0) -> Iterator[str]:
    """Yield a sentence about hidden text and one about everything else. `counts` is by kind in the singular (`text
    box`)."""
    if unseen:
        yield f"Hidden text was left out in {unseen} {'place' if unseen == 1 else 'places'}."
    if kinds := [_counted(count, kind) for kind, count in sorted(counts.items()) if count]:
        yield f"Left out: {', '.join(kinds)}."


def _counted(count: int, kind: str) -> str:
    if count == 1:
        return f"1 {kind}"
    return f"{count} {kind}{'es' if kind.endswith(('x', 's', 'ch', 'sh')) else 's'}"
