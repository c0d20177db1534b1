"""Side effects of a reading process, recorded by Python's audit hook from the first line on."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.patience import PATIENCE

_HOOK = """
import os, sys

FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen", "os.system",
             "os.exec", "os.posix_spawn", "os.fork", "shutil.copyfile", "os.symlink", "os.link")
WRITES = os.O_WRONLY | os.O_RDWR
told = os.open({told!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def is_held(target, place):
    return str(target).startswith("/proc/self/fd/") and str(place).startswith({folder!r})


def hook(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES:
        place = os.path.realpath(os.fsdecode(arguments[0])) if not isinstance(arguments[0], int) else ""
        if place and not place.startswith({folder!r}):
            os.write(told, f"opened {{place}} to write\\n".encode())
    elif event == "os.symlink" and is_held(*arguments[:2]):
        return  # a file of its own folder stands for the one that it was handed open
    elif event in FORBIDDEN:
        os.write(told, f"{{event}} {{arguments}}\\n".encode())


sys.addaudithook(hook)
"""


class Witness:
    """A recorder of side effects. Create it in an empty folder; `environment` contains the variables that make a
    process record.

    The process may write only to `folder`, which is its folder for temporary files.
    """

    def __init__(self, place: Path) -> None:
        self.folder = place / "temporary"
        self.folder.mkdir()
        self._told = place / "told"
        self._told.touch()
        (place / "hook").mkdir()
        hook = _HOOK.format(told=str(self._told), folder=str(self.folder.resolve()))
        (place / "hook" / "sitecustomize.py").write_text(hook)
        self.environment = os.environ | {
            "PYTHONPATH": str(place / "hook"), "TMPDIR": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"
        }  # fmt: skip

    def told(self) -> str:
        """Return forbidden actions since the last check; normally none."""
        said = self._told.read_text()
        os.truncate(self._told, 0)
        left = self._left()
        return said + (f"left behind: {left}" if left else "")

    def _left(self) -> list[str]:
        """Return the leftovers of the files that were read. The process answers first, and cleans up afterwards."""
        end = time.monotonic() + PATIENCE
        while (
            left := [path.name for path in self.folder.glob("*/*") if path.name != "errors"]
        ) and time.monotonic() < end:
            time.sleep(0.02)
        return left

    def _files(self) -> list[str]:
        """Return the contents of the processes' temporary folders, except for their standard error."""
        return [path.name for path in self.folder.glob("*/*") if path.name != "errors"]
