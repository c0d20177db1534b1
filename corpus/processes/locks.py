"""File locks that are released when their process ends, even if it is killed."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout


def lock_at(file: Path) -> FileLock:
    """Return an operating-system lock. A soft lock, whose state is only the existence of a file, would outlive its
    process."""
    return FileLock(file, mode=0o600, thread_local=False, preserve_lock_file=True, fallback_to_soft=False)


def acquire(file: Path, seconds: float = 0.0) -> FileLock | None:
    """Acquire the lock within this time, and return it, or None if another process holds it. Raises OSError if the lock
    cannot be created."""
    lock = lock_at(file)
    try:
        lock.acquire(timeout=seconds, poll_interval=0.05)
    except Timeout:
        return None
    return lock


def is_locked(file: Path) -> bool:
    """Return whether a running process holds the lock. If that cannot be determined, return False."""
    if not file.exists():
        return False
    try:
        lock = acquire(file)
    except OSError:
        return False
    if lock is None:
        return True
    lock.release()
    return False
