"""Escape text of others for a terminal: names, titles, messages and passages carry no commands to it.

rich is imported at its first use: `ibid serve`, which never writes with it, must not wait for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.text.normalization import clean, with_marks

if TYPE_CHECKING:
    from rich.console import Console

_LAYOUT = re.compile("[\u061c\u2028\u2029]")
"""A mark of direction and two ends of lines, which `clean` leaves to those who lay out text."""


def lines(text: object) -> str:
    """With its own lines, without escape sequences, and with a mark for what is no letter."""
    return _LAYOUT.sub(" ", clean(with_marks(str(text))))


def one_line(text: object) -> str:
    """The same on one line."""
    return lines(text).replace("\n", " ").replace("\t", " ")


def marked_up(text: object) -> str:
    """The same for a place where rich reads markup."""
    from rich.markup import escape

    return escape(one_line(text))


def output(*, beside: bool = False) -> Console:
    """Standard output, where nothing but our own markup has a meaning; `beside` is standard error. With NO_COLOR it
    carries no styles at all: on many terminals bold is a colour."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False, stderr=beside)
    if console.no_color:
        console = Console(highlight=False, emoji=False, stderr=beside, color_system=None)
    return console
