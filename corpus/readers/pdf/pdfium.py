"""The only import of PDFium, which has no type information."""

from __future__ import annotations

import pypdfium2 as pdfium  # type: ignore[import-untyped, unused-ignore]
from pypdfium2 import raw  # type: ignore[import-untyped, unused-ignore]

__all__ = ["pdfium", "raw"]
