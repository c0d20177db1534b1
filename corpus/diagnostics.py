"""Diagnostics: findings of `ibid doctor` and of index checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`warning` means degraded, `failed` does not work, `note` is information. `cure` is one sentence or more, or
    empty."""

    level: Level
    part: str
    text: str
    cure: str = ""
