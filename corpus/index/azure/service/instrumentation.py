"""The wrapper of every request: a deadline, our own errors, one log line, and measures."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, NoReturn

import anyio
import structlog
from azure.core.exceptions import AzureError

from corpus.call_measures import measures
from corpus.index.azure.service import clients
from corpus.index.azure.service.failures import failure, foreign_response, response_too_long, timed_out

log = structlog.stdlib.get_logger("ibid")

_FINE = ("ok", "none", "not allowed", "cancelled")
"""Outcomes logged at debug level. A query key may not read definitions; settings replace them."""

# Raised by the SDK for a response that is not of the service.
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)


class TooLarge(Exception):
    """The service refused a batch for its size. Not one of the SDK's errors, which would make it retry."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.response = response


class RequestRecord:
    """One request. `facts` go into its log line; `answer` and `whole` are response hooks for the SDK."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts

    @property
    def status(self) -> int | None:
        """The HTTP status of the response; None before there is one."""
        return self.facts.get("status")

    def answer(self, seen: Any) -> None:
        """Record status and request id."""
        response = seen.http_response
        self.facts["status"] = response.status_code
        if identifier := response.headers.get("request-id"):
            self.facts["request_id"] = identifier

    def whole(self, seen: Any) -> None:
        """Record them, and raise TooLarge for a batch over the size limit: the SDK would halve it and lose the second
        half."""
        self.answer(seen)
        if self.status == 413:
            raise TooLarge(seen.http_response)


def reject_response() -> NoReturn:
    """Raise ValueError for a response that the SDK accepts although the service would not send it."""
    raise ValueError("the answer lacks what every answer of its kind has")


@asynccontextmanager
async def record_request(
    operation: str, index: str, host: str, seconds: float, *, filtered: bool | None = None
) -> AsyncIterator[RequestRecord]:
    """Run a request with a deadline in seconds. Raises AzureSearchError or Timeout for failures of the service."""
    facts: dict[str, Any] = {"azure_operation": operation, "index_name": index, "outcome": "ok"}
    if filtered is not None:
        facts["filter_applied"] = filtered
    request = RequestRecord(facts)
    started = perf_counter()
    try:
        with anyio.fail_after(seconds):
            yield request
    except TimeoutError as error:
        facts["outcome"] = "Timeout"
        raise timed_out(host) from error
    except clients.TooLong as error:
        facts["outcome"] = "AzureSearchError"
        raise response_too_long(host, clients.MAX_RESPONSE_BYTES) from error
    except AzureError as error:
        failed = failure(error, index, host, operation)
        facts |= {"outcome": failed.type, **_response_facts(error)}
        raise failed from error
    except (*_UNREADABLE, zlib.error) as error:
        if request.status is None and not isinstance(error, zlib.error):
            facts["outcome"] = "not sent"
            raise  # nothing was sent: the request itself is at fault
        facts["outcome"] = "AzureSearchError"
        raise foreign_response(host) from error
    except anyio.get_cancelled_exc_class():
        facts["outcome"] = "cancelled"
        raise
    finally:
        took = round((perf_counter() - started) * 1000, 1)
        measures().add_request(took, facts.get("request_id"), filtered=filtered)
        # Debug level keeps successful requests out of a server's log.
        level = log.debug if facts["outcome"] in _FINE else log.info
        level("azure.request", search_latency_ms=took, **facts)


def _response_facts(error: AzureError) -> dict[str, Any]:
    """Status and request id, by which an operator finds the request in the service's log. The error's text quotes
    filters and stays out."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    return {"status": getattr(error, "status_code", None), "request_id": headers.get("request-id")}
