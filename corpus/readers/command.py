"""Command lines of child processes that load this very package."""

from __future__ import annotations

import sys
from pathlib import Path

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
