"""What holds for every request: a deadline, failures of ours alone, and one line of the log."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, NoReturn

import anyio
import structlog
from azure.core.exceptions import AzureError

from corpus.index.azure import clients
from corpus.index.azure.failures import failure, foreign, timed_out, too_long
from corpus.measures import measures

log = structlog.stdlib.get_logger("ibid")

_FINE = ("ok", "none", "not allowed", "cancelled")
"""A definition that a query key may not read is no failure: settings say what is in it."""

# What the SDK raises at an answer that is not of the service.
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)


class TooLarge(Exception):
    """None of the SDK's errors, which it would take for a lost connection and send the batch again."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.response = response


class Watched:
    """One request. `facts` go into its line of the log; `answer` and `whole` are hooks for the SDK."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts

    @property
    def status(self) -> int | None:
        """Of the answer; None while there is none."""
        return self.facts.get("status")

    def answer(self, seen: Any) -> None:
        response = seen.http_response
        self.facts["status"] = response.status_code
        if identifier := response.headers.get("request-id"):
            self.facts["request_id"] = identifier

    def whole(self, seen: Any) -> None:
        """A batch that is too large is refused as a whole: the SDK would halve it, and lose the second half."""
        self.answer(seen)
        if self.status == 413:
            raise TooLarge(seen.http_response)


def unlike() -> NoReturn:
    """Of an answer that the SDK took and that still is none of the service's."""
    raise ValueError("the answer lacks what every answer of its kind has")


@asynccontextmanager
async def watched(
    operation: str, index: str, host: str, seconds: float, *, filtered: bool | None = None
) -> AsyncIterator[Watched]:
    """What is inside ends after that time. Raises AzureSearchError or Timeout for what the service does."""
    facts: dict[str, Any] = {"azure_operation": operation, "index_name": index, "outcome": "ok"}
    if filtered is not None:
        facts["filter_applied"] = filtered
    request = Watched(facts)
    started = perf_counter()
    try:
        with anyio.fail_after(seconds):
            yield request
    except TimeoutError as error:
        facts["outcome"] = "Timeout"
        raise timed_out(host) from error
    except clients.TooLong as error:
        facts["outcome"] = "AzureSearchError"
        raise too_long(host, clients.MAX_RESPONSE_BYTES) from error
    except AzureError as error:
        failed = failure(error, index, host, operation)
        facts |= {"outcome": failed.type, **_told(error)}
        raise failed from error
    except (*_UNREADABLE, zlib.error) as error:
        if request.status is None and not isinstance(error, zlib.error):
            facts["outcome"] = "not sent"
            raise  # nothing was answered: what was to be sent is at fault
        facts["outcome"] = "AzureSearchError"
        raise foreign(host) from error
    except anyio.get_cancelled_exc_class():
        facts["outcome"] = "cancelled"
        raise
    finally:
        took = round((perf_counter() - started) * 1000, 1)
        measures().add_request(took, facts.get("request_id"), filtered=filtered)
        # What the caller is told of a failure is enough on a terminal; the log of a server has this line too.
        level = log.debug if facts["outcome"] in _FINE else log.info
        level("azure.request", search_latency_ms=took, **facts)


def _told(error: AzureError) -> dict[str, Any]:
    """What an operator can look for in the service's own log. Its text stays out: it quotes filters."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    return {"status": getattr(error, "status_code", None), "request_id": headers.get("request-id")}
