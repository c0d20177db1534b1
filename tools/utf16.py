"""Offsets as JavaScript counts them: a letter beyond the first 65,536 is two."""

from __future__ import annotations


def utf16_offset(text: str, offset: int) -> int:
    """The number of UTF-16 code units before this code point."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2
