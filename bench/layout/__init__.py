"""How well pages are taken apart: against labels made by eye, and against pages whose layout is known."""

from __future__ import annotations

import os
import sys
from pathlib import Path

LABELS = Path(__file__).with_name("labels")


def corpora() -> Path:
    """The folder of the documents that the labels speak of; ends the program with the reason if it is not named."""
    folder = os.environ.get("IBID_TEST_CORPORA")
    if not folder:
        sys.exit("IBID_TEST_CORPORA does not name the folder of the development corpora")
    return Path(folder)
