"""Pictures repeated on page after page, which are decoration."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from corpus.readers.pdf.figures import Figure
from corpus.readers.pdf.pages import Page

_MIN_PAGES = 3  # Pages with the same picture; two may compare.
_STEP = 4.0  # Points within which places count as one.


def drop_repeated(pages: Sequence[Page]) -> None:
    """Remove uncaptioned figures that three or more pages show at one place."""
    pages_with: dict[tuple[bytes, int, int], set[int]] = defaultdict(set)
    for page in pages:
        for figure in page.figures:
            pages_with[_picture_key(figure)].add(page.number)
    for page in pages:
        if any(figure.caption is None for figure in page.figures):
            page.figures = [
                figure
                for figure in page.figures
                if figure.caption or len(pages_with[_picture_key(figure)]) < _MIN_PAGES
            ]


def _picture_key(figure: Figure) -> tuple[bytes, int, int]:
    left, top, _, _ = figure.box
    return hashlib.sha256(figure.picture.data).digest(), round(left / _STEP), round(top / _STEP)
