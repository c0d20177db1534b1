"""The path of headings above a place."""

from __future__ import annotations

_LONGEST = 300
"""Characters: a heading is repeated with each block."""


class HeadingPath:
    """Enter headings in order; `text` is then "3 Operation > 3.2 Start-up", or None before the first."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """Close headings of the same or a deeper level, and open this one."""
        self._open = [entry for entry in self._open if entry[0] < level]
        self._open.append((level, title))

    @property
    def text(self) -> str | None:
        """The path, cut at its outer end if it is very long."""
        path = " > ".join(title for _, title in self._open)
        return path[-_LONGEST:] or None
