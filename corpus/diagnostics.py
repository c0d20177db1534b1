"""Diagnostics: findings from `ibid doctor` and from index checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding. `warning` means degraded, `failed` means not working, and `note` is for information only. `cure` is
    the fix in one or more sentences, or empty."""

    level: Level
    part: str
    text: str
    cure: str = ""
