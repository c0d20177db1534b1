"""The emulator in its own thread, for servers in other processes and for fixtures that live as long as a run."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from tests.doubles.azure_search.service import StandIn
from tests.doubles.in_thread import in_thread
from tests.patience import PATIENCE

__all__ = ["PATIENCE", "standing_in"]


def standing_in(**how: Any) -> AbstractContextManager[StandIn]:
    """Run a service. `how` are the arguments of `StandIn`."""
    return in_thread(StandIn(**how))
