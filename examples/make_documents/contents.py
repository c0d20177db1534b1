"""The table of contents of a manual, with its lists of figures and tables."""

from collections.abc import Callable

import styles
from flowables import flowables_for
from manuscript import Heading
from reportlab.lib.colors import Color
from reportlab.platypus import Flowable
from reportlab.platypus.tableofcontents import TableOfContents


def contents(accent: Color, label: Callable[[int], str]) -> list[Flowable]:
    """Headings and lists; `label` tells the printed number of a page."""
    return [
        *flowables_for(Heading(1, "Contents"), accent),
        ListOf("TOCEntry", label),
        *flowables_for(Heading(2, "Figures"), accent),
        ListOf("Caption", label),
        *flowables_for(Heading(2, "Tables"), accent),
        ListOf("TableCaption", label),
    ]


class ListOf(TableOfContents):
    """Collects what the publication announces under one kind of notice."""

    def __init__(self, kind: str, label: Callable[[int], str]) -> None:
        super().__init__(
            levelStyles=list(styles.CONTENTS),
            tableStyle=styles.CONTENTS_TABLE,
            dotsMinLevel=1,
            formatter=label,
        )
        self._notifyKind = kind
