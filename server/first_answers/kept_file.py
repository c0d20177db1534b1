"""Kept answers in the data folder, with one file for each combination of program version and settings.

A file contains protocol answers that are the same for every caller. Nothing in it comes from documents or identifies a
person.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress

from server.first_answers.requests import is_result

FOLDER = "first_answers"
FORMAT = 1
MAX_BYTES = 4_000_000
MAX_FILES = 8
"""Maximum number of kept files. Each set of settings has its own file, and the oldest files are deleted."""

PREFIXES = ("RAG_", "AZURE_", "LANGFUSE_")
UNFIT = ("RAG_PROMPTS_DIR", "RAG_LANGFUSE_PROMPTS")
"""Settings with which lists and instructions depend on more than the environment variables."""
MASKED = ("RAG_USER_ID", "RAG_DEPARTMENT", "RAG_ORG_ID", "RAG_GROUPS", "AZURE_STORAGE_CONTAINER_URL")
"""Settings for which the digest records only whether they are set. The same applies to all keys."""
PACKAGES = ("ibid_mcp-", "mcp-", "mcp_types-", "pydantic-", "pydantic_core-")
"""Prefixes of packages whose versions affect the answers."""


def kept_path(environ: Mapping[str, str]) -> str | None:
    """Return the path of the file for this program and these settings, or None if answers cannot be kept."""
    if any(environ.get(name) for name in UNFIT):
        return None
    folder = data_folder(environ)
    return os.path.join(folder, FOLDER, f"{_digest(environ)}.json") if folder else None


def data_folder(environ: Mapping[str, str]) -> str | None:
    """Return the data folder, determined as in the settings, but without slow imports on Linux."""
    folder = environ.get("RAG_DATA_DIR")
    if not folder and sys.platform == "linux":
        share = environ.get("XDG_DATA_HOME", "").strip() or os.path.expanduser("~/.local/share")
        folder = os.path.join(share, "ibid")
    elif not folder:
        from platformdirs import user_data_dir

        folder = user_data_dir("ibid", appauthor=False)
    folder = os.path.expanduser(folder)
    return None if folder.startswith("~") else os.path.abspath(folder)


def load(path: str) -> dict[str, str]:
    """Return the results by key, or an empty dict if the file is missing, damaged, or belongs to another user."""
    try:
        content = json.loads(_read(path))
        texts, keys = content["texts"], content["answers"]
        if content["format"] != FORMAT or not isinstance(keys, dict):
            return {}
        results = {key: texts[number] for key, number in keys.items()}
        sound = all(isinstance(text, str) for text in results.values())
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    return results if sound else {}


def save(path: str, results: Mapping[str, str]) -> None:
    """Write the file atomically. Raise OSError if that fails."""
    texts = list(dict.fromkeys(text for text in results.values() if is_result(text)))
    keys = {key: texts.index(text) for key, text in results.items() if text in texts}
    folder, beside = os.path.dirname(path), f"{path}.{os.getpid()}"
    for each in (os.path.dirname(folder), folder):
        os.makedirs(each, mode=0o700, exist_ok=True)
    with suppress(FileNotFoundError):
        os.unlink(beside)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, "texts": texts, "answers": keys}, file, ensure_ascii=False)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    _prune(folder)


def _read(path: str) -> str:
    """Read the file. Raise OSError unless it is a regular file that only this user may write."""
    # Follow no link, and do not block on a pipe.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        own = sys.platform == "win32" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES or not own:
            raise OSError("not kept by this program")
        return file.read(MAX_BYTES).decode()


def _prune(folder: str) -> None:
    with suppress(OSError):
        paths = [entry.path for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
        for path in sorted(paths, key=os.path.getmtime)[:-MAX_FILES]:
            os.unlink(path)


def _digest(environ: Mapping[str, str]) -> str:
    settings = [
        (name, "set" if name in MASKED or "KEY" in name else value)
        for name, value in sorted(environ.items())
        if name.startswith(PREFIXES) and value and name != "RAG_DATA_DIR"  # it is already the folder of the file
    ]
    facts = (FORMAT, sys.version, sys.platform, os.path.dirname(__file__), _packages(), settings)
    return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _packages() -> list[tuple[str, int]]:
    """Return the folder names, which contain the versions, and the mtimes of the installed PACKAGES. Read them from the
    disk, because `importlib.metadata` is slow to import."""
    versions: dict[str, tuple[str, int]] = {}
    for folder in filter(None, sys.path):
        with suppress(OSError):
            for name in os.listdir(folder):
                prefix = f"{name.partition('-')[0]}-"
                if prefix in PACKAGES and name.endswith(".dist-info"):
                    changed = os.stat(os.path.join(folder, name)).st_mtime_ns
                    versions.setdefault(prefix, (name, changed))
    return sorted(versions.values())
