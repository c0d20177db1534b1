"""Pause the garbage collector during start-up imports."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_frozen() -> Iterator[None]:
    """What is loaded within is taken to stay for good: the collector neither runs meanwhile, which would be a tenth of
    a start, nor looks at it later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
