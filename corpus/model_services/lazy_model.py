"""Load a slow local model once. After a failure, do not try again for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from corpus.errors import NotConfigured

Model = TypeVar("Model")

RETRY_SECONDS = 300
"""Seconds before loading is tried again after a failure, because fastembed needs most of a minute to fail."""


class LazyModel(Generic[Model]):
    """A model that is loaded by `load` at the first `get`, in the calling thread, while other threads wait. If that
    fails, `get` raises NotConfigured with `cure` as the fix."""

    def __init__(self, load: Callable[[], Model], cure: Callable[[], str]) -> None:
        self._load, self._cure = load, cure
        self._lock = threading.Lock()
        self._model: Model | None = None
        self._failed: tuple[float, NotConfigured] | None = None

    def get(self) -> Model:
        """Return the model, and load it if needed. Raises NotConfigured if it cannot be loaded."""
        with self._lock:
            if self._failed is not None and monotonic() < self._failed[0]:
                raise self._failed[1]
            if self._model is None:
                self._model = self._load_once()
            return self._model

    def drop(self) -> None:
        """Drop the model. A later `get` loads it again."""
        with self._lock:
            self._model = None

    def _load_once(self) -> Model:
        try:
            return self._load()
        except NotConfigured:  # it has its own fix, and failed fast
            raise
        except Exception as error:
            failed = NotConfigured(self._cure())
            self._failed = (monotonic() + RETRY_SECONDS, failed)
            raise failed from error
