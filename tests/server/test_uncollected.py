"""Loading code leaves the garbage collector in the same state."""

from __future__ import annotations

import gc
import weakref

import pytest

from server.gc_freeze import gc_frozen


class Ring:
    """Garbage that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


def test_the_collector_is_paused_during_loading_and_works_again_afterwards() -> None:
    with gc_frozen():
        assert not gc.isenabled()
    assert gc.isenabled()
    ring = weakref.ref(Ring())
    gc.collect()
    assert ring() is None


def test_a_failed_load_leaves_the_collector_on() -> None:
    with pytest.raises(ModuleNotFoundError), gc_frozen():
        import no_such_module  # type: ignore[import-not-found]  # noqa: F401
    assert gc.isenabled()


def test_loaded_objects_are_not_scanned_again() -> None:
    before = gc.get_freeze_count()
    with gc_frozen():
        loaded = [Ring() for _ in range(1000)]
    assert gc.get_freeze_count() >= before + len(loaded)
    gc.unfreeze()
