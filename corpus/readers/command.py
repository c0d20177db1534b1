"""Child processes of this package: their command line, and their output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

import corpus

BOOTSTRAP = """
import importlib, importlib.util, sys
package = importlib.util.spec_from_file_location(
    "corpus", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
sys.modules["corpus"] = importlib.util.module_from_spec(package)
importlib.import_module(sys.argv[2]).main(*sys.argv[3:])
"""
"""Load this package from its path, so that no folder and no PYTHONPATH can put another `corpus` before it.

Its `__init__` is not run: it loads logging, which takes half as long as a reading process takes to start."""


def command(module: str, *words: str) -> list[str]:
    """Return the command line of a process that calls `main(*words)` of a module of this package."""
    package = str(Path(corpus.__file__).resolve().parent)
    return [sys.executable, "-P", "-X", "utf8", "-c", BOOTSTRAP, package, module, *words]


def own_output() -> IO[bytes]:
    """Return standard output for frames alone; what libraries print goes to standard error."""
    frames = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(frames, "wb", buffering=0)
