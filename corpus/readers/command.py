"""How a process of ours is started: with this very package, whatever lies in the folder it is started from."""

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
"""Loads this very package by its place, so that no folder or PYTHONPATH can put another `corpus` before it.

Its `__init__` is not run: it loads what writes the log, which takes half as long as a reading process to start."""


def command(module: str, *words: str) -> list[str]:
    """The command line of a process that runs `main` of a module of this package with these words."""
    package = str(Path(corpus.__file__).resolve().parent)
    return [sys.executable, "-P", "-X", "utf8", "-c", BOOTSTRAP, package, module, *words]
