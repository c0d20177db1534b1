"""The wheel, and a virtual environment with only the wheel. It needs no network: see `alone`."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IN_VENV = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the pinned backend, which is installed, so that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command folder of an environment that contains the wheel and nothing of the repository.

    The dependencies of the wheel come from the environment that runs the tests. A `.pth` file in that folder has no
    effect here, so the editable install of the repository stays out.
    """
    home = tmp_path_factory.mktemp("alone")
    venv.create(home, with_pip=False)
    python = home / IN_VENV / "python"
    install = ["install", "--quiet", "--isolated", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True)
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    site = sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)})
    Path(site, "borrowed.pth").write_text("\n".join(sorted(borrowed)), encoding="utf-8")
    return home / IN_VENV
