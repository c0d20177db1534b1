"""Lists of numbers as markers hold them: `1, 3`, `2–4`, `1-2;4`."""

from __future__ import annotations

import re

Ranges = tuple[tuple[int, int], ...]
"""Pairs of lowest and highest, both included, in the order of the marker."""

NUMBER = r"[#^]?\d{1,9}\^?"
DASH = r"[-–—‑−~〜]"
SEPARATOR = rf"(?:\s{{0,3}}(?:[,;、，；&|·]|{DASH}|(?<=\s)(?:and|und|et|y|e|en|bis|to)(?=\s))\s{{0,3}})"
NUMBERS = rf"{NUMBER}(?:{SEPARATOR}{NUMBER}){{0,200}}"

_PART = re.compile(rf"(\d{{1,9}})\^?(?:\s*(?:{DASH}|bis\b|to\b)\s*[#^]?(\d{{1,9}}))?")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def ranges(listed: str) -> Ranges:
    """What a list of numbers names. A range may be given from its end."""
    pairs = ((int(match[1]), int(match[2] or match[1])) for match in _PART.finditer(listed))
    return tuple((min(pair), max(pair)) for pair in pairs)


def raised(signs: str) -> Ranges:
    """What superscript digits name: each by itself, `¹⁻³` as a range; with separators, the numbers between them."""
    plain = signs.translate(_RAISED)
    if re.search(r"[,˒·-]", plain):
        return ranges(re.sub("[˒·]", ",", plain))
    return tuple((int(digit), int(digit)) for digit in plain if digit.isdigit())
