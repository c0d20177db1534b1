"""A model that runs here and takes long to load: once, and where that fails, not again for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from corpus.errors import NotConfigured

Model = TypeVar("Model")

REMEMBERED = 300
"""Seconds for which a model that could not be loaded is not tried again: fastembed takes most of a minute to fail."""


class Loaded(Generic[Model]):
    """`load` is called at the first `get`, in the thread of whoever asks; the others wait for it. What it raises is
    told as NotConfigured with the `cure`."""

    def __init__(self, load: Callable[[], Model], cure: Callable[[], str]) -> None:
        self._load, self._cure = load, cure
        self._lock = threading.Lock()
        self._model: Model | None = None
        self._failed: tuple[float, NotConfigured] | None = None

    def get(self) -> Model:
        with self._lock:
            if self._failed is not None and monotonic() < self._failed[0]:
                raise self._failed[1]
            if self._model is None:
                self._model = self._loaded()
            return self._model

    def drop(self) -> None:
        """A later `get` loads it again."""
        with self._lock:
            self._model = None

    def _loaded(self) -> Model:
        try:
            return self._load()
        except NotConfigured:  # says its own cure, and is known at once
            raise
        except Exception as error:
            failed = NotConfigured(self._cure())
            self._failed = (monotonic() + REMEMBERED, failed)
            raise failed from error
