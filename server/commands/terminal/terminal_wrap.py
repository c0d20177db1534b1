"""Print lines for a person: wrapped to the terminal's width with an indent, elsewhere one line each.

What has no space in it (a path, an id, an address) is never broken, and neither is a name that is to stay whole: it can
be copied as it is, and the terminal shows what is longer than a line as it shows any such line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from server.commands.terminal.terminal_escape import one_line, output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDE = "\u2e80-\u303f\u3041-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
"""Scripts that are broken between characters."""
_CLOSING = "\u3001\u3002\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
"""Signs that begin no line."""
_UNIT = re.compile(f"\\s+|[{_WIDE}][{_CLOSING}]*|[^\\s{_WIDE}]+")
_HARDLY = 20
"""Columns; where fewer are left beside the indent, there is none."""

Styled = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line in one style of rich's; `whole` keeps its spaces together too."""

    text: str
    style: str = ""
    whole: bool = False


def unbroken(text: object, style: str = "") -> Part:
    """A name to be copied, such as a path."""
    return Part(str(text), style, whole=True)


def print_line(*parts: str | Part, hanging: int = 0, beside: bool = False, console: Console | None = None) -> None:
    """One line of these, whose further lines on a terminal are indented by `hanging`; `beside` is standard error."""
    console = console or output(beside=beside)
    console.print(wrapped(parts, hanging, console.width if console.is_terminal else None), soft_wrap=True)


def print_note(text: object) -> None:
    """Something to know beside what was asked for, on standard error."""
    print_line(f"Note: {text}", hanging=6, beside=True)


def wrapped(parts: tuple[str | Part, ...], hanging: int, width: int | None) -> Text:
    """The parts as text of this many columns; None for one line. They carry no commands to a terminal."""
    from rich.cells import cell_len
    from rich.text import Text

    made, at = Text(), 0
    hanging = hanging if width is None or width - hanging >= _HARDLY else 0
    for gap, chunk in _chunks([Part(one) if isinstance(one, str) else one for one in parts]):
        room = sum(cell_len(text) for text, _ in chunk)
        indent = hanging if width is None else min(hanging, max(width - room, 0))
        if width is None or at + len(gap) + room <= width or at <= indent or room > width:
            made.append(gap)
            at += len(gap)
        else:
            made.append("\n" + " " * indent)
            at = indent
        for text, style in chunk:
            made.append(text, style)
        at += room
        if width is not None and at > width:  # where the terminal goes on
            at = (at - 1) % width + 1
    return made


def _chunks(parts: list[Part]) -> Iterator[tuple[str, list[Styled]]]:
    """What stays together, each with the space before it."""
    chunk: list[Styled] = []
    gap, wide = "", False
    for part in parts:
        text = one_line(part.text)
        for unit in [text] if part.whole else _UNIT.findall(text):
            is_wide = not part.whole and bool(re.match(f"[{_WIDE}]", unit))
            if chunk and (unit.isspace() or is_wide or wide):
                yield gap, chunk
                gap, chunk = "", []
            if unit.isspace():
                gap += unit
            else:
                chunk = [*chunk, (unit, part.style)]
            wide = is_wide
    if chunk:
        yield gap, chunk
