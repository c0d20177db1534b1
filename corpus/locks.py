"""Locks that end with the process that holds them, also when it is killed."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout


def lock_at(file: Path) -> FileLock:
    """A lock of the system, never one of mere files, which would outlive its process."""
    return FileLock(file, thread_local=False, preserve_lock_file=True, fallback_to_soft=False)


def taken(file: Path, seconds: float = 0.0) -> FileLock | None:
    """The lock if nobody else holds it within that time, else None. Raises OSError where no lock can be made."""
    lock = lock_at(file)
    try:
        lock.acquire(timeout=seconds, poll_interval=0.05)
    except Timeout:
        return None
    return lock


def is_held(file: Path) -> bool:
    """Whether a process that lives holds it. False also where that cannot be found out."""
    if not file.exists():
        return False
    try:
        lock = taken(file)
    except OSError:
        return False
    if lock is None:
        return True
    lock.release()
    return False
