"""When a request is sent again.

The SDK's own policy leaves searches alone (they are POSTs) after a throttling answer, a dropped connection or a read
timeout, retries the first time without a pause, and sleeps through any Retry-After, be it an hour.
"""

from __future__ import annotations

import math
import random
from typing import Any

import anyio
from azure.core.exceptions import ServiceRequestError
from azure.core.pipeline.policies import AsyncRetryPolicy

from corpus.index.azure.failures import is_of_tls

AGAIN = frozenset({408, 429, 500, 502, 503, 504})
"""Answers after which the same request can work a moment later."""


class Retries(AsyncRetryPolicy[Any, Any]):
    """Every request again, up to `times`, with pauses that double; a wait beyond the caller's deadline ends it at once.

    All that is sent here may be repeated: searches change nothing, and an upload puts the same rows in place again.
    """

    def __init__(self, times: int, pause: float, longest_pause: float) -> None:
        super().__init__(
            retry_total=times, retry_connect=times, retry_read=times, retry_status=times,
            retry_backoff_factor=pause, retry_backoff_max=longest_pause,
        )  # fmt: skip

    def is_retry(self, settings: dict[str, Any], response: Any) -> bool:
        if response.http_response.status_code not in AGAIN:
            return False
        wait = self.get_retry_after(response) or 0.0
        return wait <= anyio.current_effective_deadline() - anyio.current_time()

    def get_retry_after(self, response: Any) -> float | None:
        """Seconds; None where the service names none, or says it in a way that nobody can read."""
        try:
            wait = super().get_retry_after(response)
        except (ValueError, TypeError, OverflowError):
            return None
        return None if wait is None or math.isnan(wait) else wait

    def increment(self, settings: dict[str, Any], response: Any = None, error: Any = None) -> bool:
        """A certificate that cannot be verified will be the same a moment later."""
        if isinstance(error, ServiceRequestError) and is_of_tls(error):
            return False
        return super().increment(settings, response, error)

    def get_backoff_time(self, settings: dict[str, Any]) -> float:
        doubled = settings["backoff"] * 2 ** (len(settings["history"]) - 1)
        # Callers that were refused together must not come back together.
        return float(min(settings["max_backoff"], doubled)) * random.uniform(0.75, 1.0)  # noqa: S311

    def _is_method_retryable(self, settings: dict[str, Any], request: Any, response: Any = None) -> bool:
        return True
