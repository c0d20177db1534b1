"""Formulas of a sheet whose results the file does not hold: a program wrote it that calculates nothing."""

from __future__ import annotations

import re

_END = re.compile(rb"</(?:\w{1,20}:)?c>")
_FORMULA = re.compile(rb"<(?:\w{1,20}:)?f[\s/>]")
_VALUE = re.compile(rb"<(?:\w{1,20}:)?v(?:\s[^>]{0,200})?>[^<]")


def without_value(sheet: bytes | None) -> int:
    """How many cells of a sheet's XML have a formula and no stored value; they are read as empty."""
    cells = _END.split(sheet or b"")[:-1]
    return sum(1 for cell in cells if _FORMULA.search(cell) and not _VALUE.search(cell))
