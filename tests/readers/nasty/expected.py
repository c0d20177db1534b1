"""Expected result of a hostile or broken file: its text, or a reason that a user understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SAID = "The pump runs at 1450 revolutions a minute."
"""Text that occurs in every file that can be read in spite of its faults."""

SECRET = "root:x:0:0"
"""Beginning of a system file that some of these files refer to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nasty:
    """The expectation. `says`, `warns` and `reason` are regular expressions for the text of all blocks, for all
    warnings, and for the reason of a refusal. If there is a reason, the file must not be read; otherwise it must be.
    `never` must not occur in a block, a warning or a reason."""

    name: str
    make: Callable[[], bytes]
    says: str = ""
    warns: str = ""
    reason: str | None = None
    never: tuple[str, ...] = ()
