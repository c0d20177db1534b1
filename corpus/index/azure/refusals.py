"""What a search can do without. Where the service refuses a search for one of its extras, it is asked again without,
and the extra rests for some minutes: a wrong setting or a broken vectorizer costs quality, not the answer.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from corpus.errors import AzureSearchError, Timeout
from corpus.index.azure.connection import Answer
from corpus.index.azure.failures import status_of

Name = Literal["semantic", "vectors"]

REST = 300.0
"""Seconds without an extra after the service refused a search for it."""


@dataclass(frozen=True, slots=True)
class Extra:
    """What is asked of the service beside the words, and the statuses of an answer that may be a refusal of it. Where
    it may take its time, `seconds` are those after which no answer is one too."""

    wishes: Mapping[str, Any]
    refused_by: frozenset[int | None]
    seconds: float | None = None

    def refused(self, error: AzureSearchError | Timeout) -> bool:
        """Whether a failure of the whole may be a refusal of this."""
        if isinstance(error, Timeout):
            return self.seconds is not None
        return status_of(error) in self.refused_by

    @property
    def limit(self) -> dict[str, Any]:
        """Wishes for a request that is not waited for as long as others, and not sent again for silence."""
        return {} if self.seconds is None else {"seconds": self.seconds, "retry_read": 0}


class Refusals:
    """Those of one service."""

    def __init__(self) -> None:
        self._until: dict[Name, float] = {}

    def rests(self, name: Name) -> bool:
        return time.monotonic() < self._until.get(name, 0.0)

    async def answer(
        self, ask: Callable[..., Awaitable[Answer]], extras: Mapping[Name, Extra]
    ) -> tuple[Answer, tuple[Name, ...]]:
        """The answer with as many extras as the service takes, and those that were left out.

        Raises what the service said where no extra can be the reason.
        """
        choices = _fewest_first(extras)
        without = next(choices)
        while True:
            kept = [name for name in extras if name not in without]
            wishes: dict[str, Any] = {}
            for name in kept:
                wishes |= {**extras[name].wishes, **extras[name].limit}
            try:
                answer = await ask(**wishes)
            except (AzureSearchError, Timeout) as error:
                blamed = {name for name in kept if extras[name].refused(error)}
                if not blamed:
                    raise
                without = next(choice for choice in choices if not blamed.isdisjoint(choice))
            else:
                self._until |= dict.fromkeys(without, time.monotonic() + REST)
                return answer, without


def _fewest_first(names: Iterable[Name]) -> Iterator[tuple[Name, ...]]:
    """Every choice of what to leave out, nothing first and everything last."""
    every = tuple(names)
    return (choice for many in range(len(every) + 1) for choice in combinations(every, many))
