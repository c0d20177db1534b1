"""How many pages a run reads, and how many it has read: counted where a file has pages, else estimated by its size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from corpus.readers.formats import CODE, IMAGES, JSON, MARKDOWN, PLAIN_TEXT, TABLES
from corpus.readers.protocol import PageListener

_BYTES_OF_TEXT = 3_000
"""Of a page of plain text: about what a page of a PDF holds."""
_BYTES = 20_000
"""Of a page in other formats. Markup makes it longer and compression shorter, and pictures much longer."""
_TEXTS = MARKDOWN | PLAIN_TEXT | TABLES | JSON | CODE


def estimated_pages(path: Path, size: int) -> int:
    """By kind and size; what has to be opened is corrected later."""
    suffix = path.suffix.lower()
    if suffix in IMAGES:
        return 1
    return max(1, round(size / (_BYTES_OF_TEXT if suffix in _TEXTS else _BYTES)))


class PageTally:
    """Tells how many pages are read of how many, whenever either changes. Files not expected count nothing."""

    def __init__(self, tell: Callable[[int, int], None]) -> None:
        self._tell = tell
        self._expected: dict[Path, int] = {}
        self._read: dict[Path, int] = {}
        self._done = self._total = 0

    def expect(self, path: Path, pages: int) -> None:
        """A file that is to be read has so many pages, as far as is known now."""
        self._total += pages - self._expected.get(path, 0)
        self._expected[path] = pages
        self._count(path, min(self._read.get(path, 0), pages))

    def listener(self, path: Path) -> PageListener:
        """Takes the pages of the file as they are read."""

        def listen(read: int, pages: int) -> None:
            if pages != self._expected.get(path):
                self.expect(path, pages)
            self._count(path, max(read, self._read.get(path, 0)))

        return listen

    def end(self, path: Path, *, is_read: bool) -> int:
        """A file is done with. What was not read counts as nothing to read. How many pages it had."""
        pages = self._expected.get(path, 0)
        if pages and not is_read:
            self.expect(path, 0)
        elif pages:
            self._count(path, pages)
        self._expected.pop(path, None)
        self._read.pop(path, None)
        return pages if is_read else 0

    def _count(self, path: Path, read: int) -> None:
        self._done += read - self._read.get(path, 0)
        self._read[path] = read
        self._tell(self._done, self._total)
