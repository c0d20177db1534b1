"""What a hostile or broken file must come to: its text, or a reason that a person understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SAID = "The pump runs at 1450 revolutions a minute."
"""Stands in every file whose text can be read in spite of what is wrong with it."""

SECRET = "root:x:0:0"
"""How a file of the system begins that some of these files name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nasty:
    """`says`, `warns` and `reason` are regular expressions, of the text of all blocks, of all warnings, and of why it
    was refused. Where there is a reason, the file may not be read; where there is none, it must be. `never` may
    stand neither in a block nor in a warning nor in a reason.
    """

    name: str
    make: Callable[[], bytes]
    says: str = ""
    warns: str = ""
    reason: str | None = None
    never: tuple[str, ...] = ()
