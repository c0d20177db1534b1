"""Offsets in UTF-16 code units, as JavaScript counts them."""

from __future__ import annotations


def utf16_offset(text: str, offset: int) -> int:
    """The number of UTF-16 code units before this code point."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2
