"""How a reading process is started: with this very package, whatever lies in the folder it is started from."""

from __future__ import annotations

import sys
from pathlib import Path

import corpus
from corpus.readers.promise import Limits

BOOTSTRAP = """
import importlib.util, sys
package = importlib.util.spec_from_file_location(
    "corpus", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
sys.modules["corpus"] = importlib.util.module_from_spec(package)
package.loader.exec_module(sys.modules["corpus"])
from corpus.readers.process import main
main(int(sys.argv[2]))
"""
"""Loads this very package by its place, so that no folder or PYTHONPATH can put another `corpus` before it."""


def command(limits: Limits) -> list[str]:
    """The command line of a reading process."""
    package = str(Path(corpus.__file__).resolve().parent)
    return [sys.executable, "-P", "-X", "utf8", "-c", BOOTSTRAP, package, str(limits.memory_bytes)]
