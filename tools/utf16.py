"""Offsets as JavaScript counts them: a letter beyond the first 65,536 is two."""

from __future__ import annotations


def utf16_offset(text: str, offset: int) -> int:
    """The number of UTF-16 code units before this code point."""
    before = text[:offset]
    return len(before) + sum(letter > "\uffff" for letter in before)
