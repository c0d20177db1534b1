"""Build the files of a release reproducibly, byte for byte: file times are the time of the last commit."""

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def epoch() -> str:
    """Return SOURCE_DATE_EPOCH if it is set, or else the time of the last commit, in seconds since 1970."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def distributions(source: Path, folder: Path) -> list[Path]:
    """Build the sdist and the wheel of a source tree with the pinned backend, without network access."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(folder)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": epoch()}
    subprocess.run(command, cwd=source, check=True, capture_output=True, env=environment)
    return sorted(folder.glob("ibid_mcp-*"))


def committed(folder: Path) -> Path:
    """Extract the source tree of the last commit into `folder`."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", "HEAD"]
    made = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(made)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def packed(files: dict[str, bytes], target: Path) -> None:
    """Write a ZIP file that depends only on the names and contents of the files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name)  # with the default time, in 1980
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
