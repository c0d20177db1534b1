"""Where a write or a rebuild stands, for the log: the points at which an interruption would be interesting."""

from __future__ import annotations

import structlog

_log = structlog.get_logger()


def stage(name: str) -> None:
    _log.debug("index.stage", stage=name)
