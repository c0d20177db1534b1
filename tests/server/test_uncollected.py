"""Loading leaves the garbage collector in the same state."""

from __future__ import annotations

import gc
import weakref

import pytest

from server.gc_freeze import gc_frozen


class Ring:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


def test_the_collector_waits_while_something_is_loaded_and_works_again_after_it() -> None:
    with gc_frozen():
        assert not gc.isenabled()
    assert gc.isenabled()
    ring = weakref.ref(Ring())
    gc.collect()
    assert ring() is None


def test_what_cannot_be_loaded_leaves_it_on() -> None:
    with pytest.raises(ModuleNotFoundError), gc_frozen():
        import no_such_module  # type: ignore[import-not-found]  # noqa: F401
    assert gc.isenabled()


def test_what_was_loaded_is_not_looked_at_again() -> None:
    before = gc.get_freeze_count()
    with gc_frozen():
        loaded = [Ring() for _ in range(1000)]
    assert gc.get_freeze_count() >= before + len(loaded)
    gc.unfreeze()
