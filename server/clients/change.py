"""Changes a client's file: a copy of what was there, one step that leaves the old or the new, and nothing overwritten
that somebody else wrote meanwhile."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_data_path

from corpus.errors import IbidError

BACKUP = ".before-ibid"
LATER_BACKUPS = 5
"""How many are kept beside the first."""
_TIME = re.compile(r"-\d{8}T\d{12}Z")
LOCK_SECONDS = 30.0
MAX_BYTES = 64 << 20
MARK = b"\xef\xbb\xbf"


class Refused(IbidError):
    """The file stays as it is."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """`file` is the one that is named, `real` where links lead; `before` its bytes, None where it is not there."""

    file: Path
    real: Path
    before: bytes | None

    @property
    def text(self) -> str:
        """Raises Refused for what is no UTF-8."""
        try:
            return (self.before or b"").removeprefix(MARK).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused(f"{self.file} is no UTF-8 at byte {error.start}, and was left as it is.") from None


@contextmanager
def alone() -> Iterator[None]:
    """From the look at a file to its change no other command of this user changes one. Raises Refused after a wait;
    where no lock can be made, `replace` still looks again."""
    from corpus.processes.locks import acquire

    folder = user_data_path("ibid", appauthor=False)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = acquire(folder / "install.lock", LOCK_SECONDS)
    except OSError:
        yield
        return
    if lock is None:
        raise Refused("Another command is changing the configuration of a client. Run this one again.")
    try:
        yield
    finally:
        lock.release()


def look(file: Path) -> ConfigFile:
    """Raises Refused where the file cannot be changed."""
    real = Path(os.path.realpath(file))
    try:
        there = real.stat()
        if not stat.S_ISREG(there.st_mode):
            raise Refused(f"{file} is no file.")
        if there.st_size > MAX_BYTES:
            raise Refused(f"{file} has {there.st_size >> 20} MB, which no configuration has.")
        before = real.read_bytes()
    except FileNotFoundError:
        return ConfigFile(file, real, None)
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    return ConfigFile(file, real, before)


def replace(
    found: ConfigFile, text: str, *, without_ours: bool = False, shared: bool = False, secret: bool = False
) -> Path | None:
    """Where the copy of what was there lies. `without_ours` is whether Ibid was not in it; `shared` makes a new file
    one that others may read; `secret` leaves the file and the copy to their owner alone. Raises Refused where the file
    is not as it was found, or may not be written."""
    mark = MARK if (found.before or b"").startswith(MARK) else b""
    mode = _mode(found, shared) & (0o700 if secret else 0o777)
    try:
        found.real.parent.mkdir(parents=True, exist_ok=True)
        backup = None
        if found.before is not None:
            backup = _backup(found.real, without_ours)
            _put(backup, found.before, mode)
            _forget(found.real)
        # As late as can be: clients write their own files while they run.
        if look(found.file) != found:
            raise Refused(f"{found.file} was changed by another program just now. Run the command again.")
        _put(found.real, mark + text.encode("utf-8"), mode)
        return backup
    except OSError as error:
        raise Refused(f"{error.filename or found.file} cannot be written: {error.strerror}.") from error


def others_read(found: ConfigFile) -> bool:
    """Whether the file is there and somebody else may read it."""
    return found.before is not None and os.name != "nt" and bool(found.real.stat().st_mode & 0o077)


def _backup(real: Path, without_ours: bool) -> Path:
    """The first stays, which has the file as it was before Ibid; others have the time in their name."""
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
    """The rights of the file, or those of a new one: a person's own may come to hold keys."""
    if config.before is None:
        return 0o644 if shared else 0o600
    mode = stat.S_IMODE(config.real.stat().st_mode)
    if not mode & 0o222:
        raise Refused(f"{config.file} is read-only, and was left as it is.")
    return mode


def _put(target: Path, data: bytes, mode: int) -> None:
    """Whole or not at all."""
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
    """Where root does it for somebody."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            there = target.stat()
            os.chown(name, there.st_uid, there.st_gid)
