"""Measure page layout analysis, against manual labels and against pages with a known layout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

LABELS = Path(__file__).with_name("labels")


def corpora() -> Path:
    """Return the folder of the labelled documents. If it is not set, exit with an explanation."""
    folder = os.environ.get("IBID_TEST_CORPORA")
    if not folder:
        sys.exit("IBID_TEST_CORPORA does not name the folder of the development corpora")
    return Path(folder)
