"""What a check-up finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`warning` works less well than it could, `failed` does not work, `note` is worth knowing. `cure` is one sentence
    or more, or nothing."""

    level: Level
    part: str
    text: str
    cure: str = ""
