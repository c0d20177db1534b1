"""Print lines for a person: wrapped to the terminal's width with an indent, elsewhere one line each.

What has no space in it (a path, an id, an address) is never broken, and neither is a name that is to stay whole: it can
be copied as it is, and the terminal shows what is longer than a line as it shows any such line.

Escape text of others for a terminal: names, titles, messages and passages carry no commands to it.

rich is imported at its first use: `ibid serve`, which never writes with it, must not wait for it.

`--json`: print the result as one JSON value on standard output, and nothing else there.

What went wrong stays a line on standard error, and the exit code says it, as without.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from corpus.text.normalization import clean, with_marks

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

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


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, for scripts.")


def print_json(value: Any) -> None:
    """Print the value as JSON on standard output."""
    click.echo(dumped(value))


def dumped(value: Any) -> str:
    """In ASCII, so that text of others gives a terminal no commands."""
    return json.dumps(value, ensure_ascii=True, indent=2)
