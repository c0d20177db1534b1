"""Print lines for a person: wrapped to the terminal's width with an indent, or unwrapped if the output is not a
terminal.

Text without spaces (a path, an id, an address) is never broken, and neither is a name marked as unbroken, so that a
person can copy it. If it is too long, the terminal breaks it like any long line.

Foreign text (names, titles, messages, passages) is escaped, so that it cannot contain terminal commands.

rich is imported at its first use, because `ibid serve` does not use it and must not wait for it.

With `--json`, standard output contains only the result, as one JSON value. Errors are still printed on standard error,
and exit codes are the same as without the option.
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
"""Pattern of a direction mark and two line separators. `clean` leaves them to code that lays out text."""


def lines(text: object) -> str:
    """Return the text with its line breaks, without escape sequences, and with a replacement character for each lone
    surrogate."""
    return _LAYOUT.sub(" ", clean(with_marks(str(text))))


def one_line(text: object) -> str:
    """Return the text cleaned in the same way as by `lines`, but on one line."""
    return lines(text).replace("\n", " ").replace("\t", " ")


def marked_up(text: object) -> str:
    """Return the text on one line, escaped for places where rich interprets markup."""
    from rich.markup import escape

    return escape(one_line(text))


def output(*, beside: bool = False) -> Console:
    """Return a console for standard output, or for standard error if `beside` is set. With NO_COLOR, it shows no styles
    at all, because many terminals show bold text in a colour."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False, stderr=beside)
    if console.no_color:
        console = Console(highlight=False, emoji=False, stderr=beside, color_system=None)
    return console


_WIDE = "\u2e80-\u303f\u3041-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
"""Characters of scripts in which a line may break between any two characters."""
_CLOSING = "\u3001\u3002\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
"""Characters that must not begin a line."""
_UNIT = re.compile(f"\\s+|[{_WIDE}][{_CLOSING}]*|[^\\s{_WIDE}]+")
_HARDLY = 20
"""Minimum number of columns to the right of the indent. If fewer would be left, lines are not indented."""

Styled = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a line, in one of rich's styles. If `whole` is set, its words stay together."""

    text: str
    style: str = ""
    whole: bool = False


def unbroken(text: object, style: str = "") -> Part:
    """Return a part for a name that a person may copy, such as a path."""
    return Part(str(text), style, whole=True)


def print_line(*parts: str | Part, hanging: int = 0, beside: bool = False, console: Console | None = None) -> None:
    """Print the parts as one line. On a terminal, wrapped lines are indented by `hanging`. `beside` selects standard
    error."""
    console = console or output(beside=beside)
    console.print(wrapped(parts, hanging, console.width if console.is_terminal else None), soft_wrap=True)


def print_note(text: object) -> None:
    """Print a note on standard error, separate from the result."""
    print_line(f"Note: {text}", hanging=6, beside=True)


def wrapped(parts: tuple[str | Part, ...], hanging: int, width: int | None) -> Text:
    """Return the parts as text wrapped to `width` columns, or as one line if `width` is None. Terminal commands in the
    parts are removed."""
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
        if width is not None and at > width:  # the terminal will break the line here
            at = (at - 1) % width + 1
    return made


def _chunks(parts: list[Part]) -> Iterator[tuple[str, list[Styled]]]:
    """Yield the fragments that must stay together, each with the space before it."""
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
    """Return the value as JSON in ASCII, so that foreign text cannot contain terminal commands."""
    return json.dumps(value, ensure_ascii=True, indent=2)
