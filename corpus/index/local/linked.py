"""A word index in a folder that cannot be written: tantivy makes a lock file beside what it reads, so it is shown a
folder of links."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory


class Linked:
    """Links to the files of one directory, cleared away by `close`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self._place = TemporaryDirectory(prefix="ibid-words-", ignore_cleanup_errors=True)
        self.path = Path(self._place.name)
        self.refresh()

    def refresh(self) -> None:
        """Links also to what came since: another process may write what this one may not."""
        for file in self._directory.iterdir():
            link = self.path / file.name
            if file.suffix != ".lock" and not link.is_symlink():
                link.symlink_to(file)

    def close(self) -> None:
        self._place.cleanup()
