"""Convert failures of a model service, or of the connection to it, to our own errors, each with a suggested fix.

Messages contain no key, and no text from the service, because it may quote the question.
"""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

import openai

from corpus.errors import IbidError, LLMError, NotConfigured, Timeout
from corpus.model_services.service import BadAnswer, NotTheProtocol, RetryLater, retry_after
from corpus.processes.gather import causes

if TYPE_CHECKING:
    from corpus.model_services.service import Service

MOMENT = frozenset({408, 409, 425, 429})
"""HTTP status codes, in addition to 500 and above, after which the same request may succeed a moment later."""

QUOTA = "insufficient_quota"


def retry_later(error: openai.OpenAIError) -> Exception:
    """Return the error for the retry logic. It is wrapped in `RetryLater` if the same request may succeed a moment
    later, and is the underlying BadAnswer if reading the response was aborted; otherwise it is the error itself."""
    if isinstance(error, openai.APIStatusError):
        is_passing = error.status_code in MOMENT or error.status_code >= 500
        if is_passing and error.code != QUOTA:
            return RetryLater(error, retry_after(error.response.headers))
    elif isinstance(error, openai.APIConnectionError):
        chain = list(causes(error))
        if bad := next((cause for cause in chain if isinstance(cause, BadAnswer)), None):
            return bad
        if not any(isinstance(cause, ssl.SSLError | socket.gaierror) for cause in chain):
            return RetryLater(error)
    return error


def error_for(error: Exception, service: Service) -> IbidError:
    """Return the error to raise for an exception from openai, from the deadline or from the checks of the response."""
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return Timeout(f"{service.host} did not give {service.gives} in time. The same call can work in a moment.")
    if isinstance(error, openai.APIStatusError):
        return _status_error(error, service)
    if isinstance(error, BadAnswer):
        return _answer_error(error, service)
    return _connection_error(error, service)


def _status_error(error: openai.APIStatusError, service: Service) -> IbidError:
    """Return the error for a response with an error status."""
    host, status = service.host, error.status_code
    if error.code == QUOTA:
        return NotConfigured(f"The account at {host} has no credit left. Check its plan and billing.")
    if status == 429:
        return LLMError(f"{host} is refusing requests because there are too many. Try again in a minute.")
    if status in MOMENT or status >= 500:
        return LLMError(f"{host} failed to give {service.gives} (status {status}). Try again in a moment.")
    if status < 400:
        return NotConfigured(
            f"{host} sends requests on to another address (status {status}), where Ibid sends neither key nor text. "
            f"Set {service.address_setting} to the intended address."
        )
    advice = {401: service.not_admitted, 403: service.not_allowed, 404: service.not_there}
    return NotConfigured(f"{host} {advice.get(status, service.refused.format(status=status))}")


def _answer_error(error: BadAnswer, service: Service) -> IbidError:
    """Return the error for an unusable response."""
    if isinstance(error, NotTheProtocol):
        return NotConfigured(
            f"What {service.host} answered {service.are_none}. Check {service.address_setting}, and whether a proxy "
            "stands in between."
        )
    return LLMError(f"{service.host} gave {error}. Try again; if that does not help, the service is at fault.")


def _connection_error(error: Exception, service: Service) -> IbidError:
    """Return the error for a failed connection."""
    host, chain = service.host, list(causes(error))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain):
        return NotConfigured(
            f"The certificate of {host} could not be verified. Behind a proxy that opens TLS, set SSL_CERT_FILE "
            "to the company's certificates; check the clock of this machine."
        )
    if any(isinstance(cause, ssl.SSLError) for cause in chain):
        return NotConfigured(f"{host} does not speak TLS there. Check {service.address_setting}.")
    if any(isinstance(cause, socket.gaierror) for cause in chain):
        return LLMError(
            f"No address is known for {host}. Check {service.address_setting}, and the network or VPN of this machine."
        )
    if any(isinstance(cause, ConnectionRefusedError) for cause in chain):
        return LLMError(f"Nothing listens at {host}. Start the service, or check {service.address_setting}.")
    return LLMError(
        f"The connection to {host} failed. Try again; if that does not help, check {service.address_setting}, and the "
        "network, proxy or VPN of this machine."
    )
