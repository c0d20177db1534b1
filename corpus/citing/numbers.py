"""Number lists in markers: `1, 3`, `2–4`, `1-2;4`."""

from __future__ import annotations

import re

Ranges = tuple[tuple[int, int], ...]
"""Pairs of lowest and highest number, both included, in marker order."""

NUMBER = r"[#^]?\d{1,9}\^?"
DASH = r"[-–—‑−~〜]"
SEPARATOR = rf"(?:\s{{0,3}}(?:[,;、，；&|·]|{DASH}|(?<=\s)(?:and|und|et|y|e|en|bis|to)(?=\s))\s{{0,3}})"
NUMBERS = rf"{NUMBER}(?:{SEPARATOR}{NUMBER}){{0,200}}"

_PART = re.compile(rf"(\d{{1,9}})\^?(?:\s*(?:{DASH}|bis\b|to\b)\s*[#^]?(\d{{1,9}}))?")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def ranges(listed: str) -> Ranges:
    """The ranges of a number list. A range may be written backwards."""
    pairs = ((int(match[1]), int(match[2] or match[1])) for match in _PART.finditer(listed))
    return tuple((min(pair), max(pair)) for pair in pairs)


def raised(signs: str) -> Ranges:
    """The ranges of superscript digits: each by itself, `¹⁻³` as a range; with separators, the numbers between."""
    plain = signs.translate(_RAISED)
    if re.search(r"[,˒·-]", plain):
        return ranges(re.sub("[˒·]", ",", plain))
    return tuple((int(digit), int(digit)) for digit in plain if digit.isdigit())
