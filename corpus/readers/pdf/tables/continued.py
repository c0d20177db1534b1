"""Tables that go on over pages: the head and the caption of the first part hold for the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.tables.page_tables import Table

Head = tuple[tuple[str, ...], ...]
_SIDE = 8.0
_TOP = 0.25
_BOTTOM = 0.7
_GOES_ON = re.compile(r"contin|cont\.|cont’d|cont'd|fortsetzung|forts\.|suite|续|続", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Start:
    """Where a table began: its page and its number there, counted from 0."""

    page: int
    number: int


def starts_of(pages: Sequence[Page]) -> dict[tuple[int, int], Start]:
    """For each part but the first, by its page and number, where its table began."""
    starts: dict[tuple[int, int], Start] = {}
    for before, page in pairwise(pages):
        if not before.tables or not page.tables:
            continue
        last = len(before.tables) - 1
        if _goes_on(before.tables[last], before, page.tables[0], page):
            starts[page.number, 0] = starts.get((before.number, last), Start(before.number, last))
    return starts


def _goes_on(last: Table, before: Page, first: Table, page: Page) -> bool:
    if not last.grid or not first.grid or last.grid.width != first.grid.width:
        return False
    sides = abs(last.box[0] - first.box[0]) <= _SIDE and abs(last.box[2] - first.box[2]) <= _SIDE
    at_edges = last.box[3] > _BOTTOM * before.size[1] and first.box[1] < _TOP * page.size[1]
    if not sides or not at_edges:
        return False
    if first.caption is None:
        return True
    words = " ".join(line.text for line in page.lines[first.caption.first : first.caption.last])
    return bool(_GOES_ON.search(words))
