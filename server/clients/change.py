"""Change a client's configuration file: back it up, write atomically, and never overwrite concurrent changes.

If a client's configuration is not plain JSON, the client's own program adds the entry.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from corpus.errors import IbidError
from server.clients.known import Client

BACKUP = ".before-ibid"
LATER_BACKUPS = 5
"""Number of backups kept in addition to the first."""
_TIME = re.compile(r"-\d{8}T\d{12}Z")
LOCK_SECONDS = 30.0
MAX_BYTES = 64 << 20
MARK = b"\xef\xbb\xbf"


class Refused(IbidError):
    """The file cannot be changed and is left unchanged."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file. `real` is its path with links resolved. `before` is its content, or None if it does not
    exist."""

    file: Path
    real: Path
    before: bytes | None

    @property
    def text(self) -> str:
        """Return the content as text. Raise Refused unless it is UTF-8."""
        try:
            return (self.before or b"").removeprefix(MARK).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused(f"{self.file} is not UTF-8 at byte {error.start}, and was left unchanged.") from None


@contextmanager
def alone() -> Iterator[None]:
    """Lock out other commands of this user between `look` and `replace`. Raise Refused if another command does not
    release the lock in time. If no lock can be created, only the check in `replace` remains."""
    from corpus.processes.locks import acquire

    folder = user_data_path("ibid", appauthor=False)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = acquire(folder / "install.lock", LOCK_SECONDS)
    except OSError:
        yield
        return
    if lock is None:
        raise Refused("Another command is changing the configuration of a client. Run this command again.")
    try:
        yield
    finally:
        lock.release()


def look(file: Path) -> ConfigFile:
    """Read the file. Raise Refused if it cannot be changed."""
    real = Path(os.path.realpath(file))
    try:
        there = real.stat()
        if not stat.S_ISREG(there.st_mode):
            raise Refused(f"{file} is not a file.")
        if there.st_size > MAX_BYTES:
            raise Refused(f"{file} has {there.st_size >> 20} MB, which is too large for a configuration.")
        before = real.read_bytes()
    except FileNotFoundError:
        return ConfigFile(file, real, None)
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    return ConfigFile(file, real, before)


def replace(
    config: ConfigFile, text: str, *, without_ours: bool = False, shared: bool = False, secret: bool = False
) -> Path | None:
    """Replace the file and return the path of its backup. `without_ours` is set if the file had no entry for Ibid.
    `shared` makes a new file readable by others; `secret` makes file and backup private. Raise Refused if the file has
    changed since `look`, or is not writable."""
    mark = MARK if (config.before or b"").startswith(MARK) else b""
    mode = _mode(config, shared) & (0o700 if secret else 0o777)
    try:
        config.real.parent.mkdir(parents=True, exist_ok=True)
        backup = None
        if config.before is not None:
            backup = _backup(config.real, without_ours)
            _put(backup, config.before, mode)
            _forget(config.real)
        # Check as late as possible, because running clients may write the file.
        if look(config.file) != config:
            raise Refused(f"{config.file} was just changed by another program. Run the command again.")
        _put(config.real, mark + text.encode("utf-8"), mode)
        return backup
    except OSError as error:
        raise Refused(f"{error.filename or config.file} cannot be written: {error.strerror}.") from error


def others_read(config: ConfigFile) -> bool:
    """Return whether the file exists and other users may read it."""
    return config.before is not None and os.name != "nt" and bool(config.real.stat().st_mode & 0o077)


def _backup(real: Path, without_ours: bool) -> Path:
    """Return the path for a backup. The version before Ibid's first entry has a fixed name, and the names of later
    versions contain the time."""
    first = real.with_name(real.name + BACKUP)
    if without_ours and not os.path.lexists(first):
        return first
    return first.with_name(f"{first.name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}Z")


def _forget(real: Path) -> None:
    first = real.name + BACKUP
    there = [backup for backup in real.parent.iterdir() if backup.name.startswith(first)]
    later = sorted(backup for backup in there if _TIME.fullmatch(backup.name.removeprefix(first)))
    for backup in later[:-LATER_BACKUPS]:
        with suppress(OSError):
            backup.unlink()


def _mode(config: ConfigFile, shared: bool) -> int:
    """Return the mode for the file. A new file is private unless it is shared, because keys may be added to it later.
    Raise Refused if the existing file is read-only."""
    if config.before is None:
        return 0o644 if shared else 0o600
    mode = stat.S_IMODE(config.real.stat().st_mode)
    if not mode & 0o222:
        raise Refused(f"{config.file} is read-only, and was left unchanged.")
    return mode


def _put(target: Path, data: bytes, mode: int) -> None:
    """Write a file atomically."""
    number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        _same_owner(name, target)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _same_owner(name: str, target: Path) -> None:
    """Give the new file the owner of the target, if root runs the command."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            there = target.stat()
            os.chown(name, there.st_uid, there.st_gid)


SECONDS = 30.0
"""Maximum number of seconds for the client's program. VS Code needs less than two seconds; if the program takes longer,
it is waiting for something."""


def add_by_client(client: Client, name: str, entry: dict[str, Any]) -> bool:
    """Add the entry with the client's own program. Return whether such a program exists and succeeded. Other users of
    the machine can read its arguments, so the entry must contain no secret."""
    program = shutil.which(client.adds_by) if client.adds_by else None
    if program is None:
        return False
    words = [program, "--add-mcp", json.dumps({"name": name} | client.as_written(entry))]
    try:
        return subprocess.run(words, check=False, capture_output=True, timeout=SECONDS).returncode == 0  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
