"""Text documents of other office programs (ODT, RTF)."""
