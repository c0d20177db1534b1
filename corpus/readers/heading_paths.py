"""The headings that a place stands under, as a path."""

from __future__ import annotations

_LONGEST = 300


class HeadingPath:
    """Enter each heading as it comes; `text` is then "3 Operation > 3.2 Start-up", or None before the first."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """Closes what is as deep or deeper, and opens this one."""
        self._open = [entry for entry in self._open if entry[0] < level]
        self._open.append((level, title))

    @property
    def text(self) -> str | None:
        """The path, its outer end cut when it is very long."""
        path = " > ".join(title for _, title in self._open)
        return path[-_LONGEST:] or None
