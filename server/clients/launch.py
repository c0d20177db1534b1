"""Find the command with which a client can start this installation without a PATH."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

DISTRIBUTION = "ibid-mcp"
WITHOUT_SCRIPT = "from server.cli import main; main()"
"""Program for `python -c` if there is no console script."""
Which = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that starts the server. The last of `args` is `serve`. `note` is for the user, and may be empty."""

    command: str
    args: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    """How this process was started."""

    argv0: str
    executable: str
    prefix: str
    scripts: str
    frozen: bool
    version: str
    source: str | None
    """URL from which Ibid was installed, or None if it was installed from a package index."""

    @classmethod
    def here(cls) -> Running:
        """Return how this process was started."""
        version, source = _installed()
        return cls(
            sys.argv[0], sys.executable, sys.prefix, sysconfig.get_path("scripts"),
            bool(getattr(sys, "frozen", False)), version, source,
        )  # fmt: skip


def launch(running: Running, which: Which = shutil.which) -> Launch:
    """Return the command for the client's entry."""
    if running.frozen:
        return Launch(os.path.abspath(running.executable), ("serve",))
    if short := _short_lived(running):
        return _by_runner(running, short, which)
    script = _script(running, which)
    if script:
        return Launch(script, ("serve",))
    # -P: do not import a folder `server` in the client's working directory.
    return Launch(os.path.abspath(running.executable), ("-P", "-c", WITHOUT_SCRIPT, "serve"))


def by_name(running: Running, which: Which = shutil.which) -> Launch:
    """Return the command for a file that is shared with other machines."""
    if which("ibid"):
        return Launch("ibid", ("serve",), "Everyone who shares this file needs ibid on their PATH.")
    own = launch(running, which)
    return Launch(own.command, own.args, "ibid is not on the PATH, so the entry works on this machine only.")


def _short_lived(running: Running) -> str | None:
    """Return the runner if this process runs in its temporary environment ("uvx", or "pipx" for `pipx run`), or else
    None."""
    parts = Path(running.prefix).parts
    if any(part.startswith(("archive-v", "builds-v", "environments-v")) for part in parts):
        return "uvx"
    if "pipx" in parts and "venvs" not in parts:
        return "pipx"
    return None


def _by_runner(running: Running, runner: str, which: Which) -> Launch:
    source = running.source or f"{DISTRIBUTION}=={running.version}"
    program = which(runner)
    note = "" if program else f"{runner} was not found on the PATH: set `command` to its full path."
    words = ("--from", source) if runner == "uvx" else ("run", "--spec", source)
    return Launch(os.path.abspath(program) if program else runner, (*words, "ibid", "serve"), note)


def _script(running: Running, which: Which) -> str | None:
    """Return the path of the console script, preferably the path by which it was called: pipx keeps its link when it
    recreates the environment."""
    called = Path(running.argv0)
    folders = [called.parent] if called.stem == "ibid" and called.parent != Path() else []
    for folder in (*folders, Path(running.scripts), Path(running.executable).parent):
        for name in ("ibid.exe", "ibid"):
            path = Path(os.path.abspath(folder / name))
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    program = which("ibid") if called.stem == "ibid" else None
    return os.path.abspath(program) if program else None


def _installed() -> tuple[str, str | None]:
    try:
        known = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return "", None
    direct_url = known.read_text("direct_url.json")
    return known.version, _url(json.loads(direct_url)) if direct_url else None


def _url(direct_url: dict[str, object]) -> str | None:
    """Return the URL in the form that pip and uv accept after `--from`."""
    url, version = direct_url.get("url"), direct_url.get("vcs_info")
    if not isinstance(url, str):
        return None
    if isinstance(version, dict):
        return f"{version.get('vcs')}+{url}@{version.get('commit_id')}"
    return url
