"""What a service of models or the way to it did, as a failure of ours: what happened, and the cure.

No text holds a key, or anything that the service said: it may quote the question back.
"""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

import openai

from corpus.causes import causes
from corpus.errors import IbidError, LLMError, NotConfigured, Timeout
from corpus.services.answers import BadAnswer, NotTheProtocol
from corpus.services.patience import Again, retry_after

if TYPE_CHECKING:
    from corpus.services.where import Service

MOMENT = frozenset({408, 409, 425, 429})
"""Answers, beside those from 500 on, after which the same request can work a moment later."""

QUOTA = "insufficient_quota"


def again(error: openai.OpenAIError) -> Exception:
    """The error, as `Again` where the same request can work a moment later; what was wrong with an answer, where it
    was given up while it was read."""
    if isinstance(error, openai.APIStatusError):
        moment = error.status_code in MOMENT or error.status_code >= 500
        if moment and error.code != QUOTA:
            return Again(error, retry_after(error.response.headers))
    elif isinstance(error, openai.APIConnectionError):
        behind = list(causes(error))
        if bad := next((one for one in behind if isinstance(one, BadAnswer)), None):
            return bad
        if not any(isinstance(one, ssl.SSLError | socket.gaierror) for one in behind):
            return Again(error)
    return error


def failure(error: Exception, service: Service) -> IbidError:
    """The failure to raise in place of what the package, the deadline or the look at the answer raised."""
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return Timeout(
            f"{service.host} did not give {service.gives} in time. The same call can work in a moment."
        )
    if isinstance(error, openai.APIStatusError):
        return _answered(error, service)
    if isinstance(error, BadAnswer):
        return _unusable(error, service)
    return _unreached(error, service)


def _answered(error: openai.APIStatusError, service: Service) -> IbidError:
    host, status = service.host, error.status_code
    if error.code == QUOTA:
        return NotConfigured(
            f"The account at {host} has nothing left to spend. Look at its plan and billing."
        )
    if status == 429:
        return LLMError(f"{host} is refusing requests because there are too many. Try again in a minute.")
    if status in MOMENT or status >= 500:
        return LLMError(f"{host} failed to give {service.gives} (status {status}). Try again in a moment.")
    if status < 400:
        return NotConfigured(
            f"{host} sends requests on to another address (status {status}), where Ibid sends neither key nor text. "
            f"Set {service.address_setting} to the address that is meant."
        )
    said = {401: service.not_admitted, 403: service.not_allowed, 404: service.not_there}
    return NotConfigured(f"{host} {said.get(status, service.refused.format(status=status))}")


def _unusable(error: BadAnswer, service: Service) -> IbidError:
    if isinstance(error, NotTheProtocol):
        return NotConfigured(
            f"What {service.host} answered {service.are_none}. Check {service.address_setting}, and whether a proxy "
            "stands in between."
        )
    return LLMError(f"{service.host} gave {error}. Try again; if it stays so, the service is at fault.")


def _unreached(error: Exception, service: Service) -> IbidError:
    host, behind = service.host, list(causes(error))
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in behind):
        return NotConfigured(
            f"The certificate of {host} could not be verified. Behind a proxy that opens TLS, set SSL_CERT_FILE "
            "to the company's certificates; check the clock of this machine."
        )
    if any(isinstance(one, ssl.SSLError) for one in behind):
        return NotConfigured(f"{host} does not speak TLS there. Check {service.address_setting}.")
    if any(isinstance(one, socket.gaierror) for one in behind):
        return LLMError(
            f"No address is known for {host}. Check {service.address_setting}, and the network or VPN of this machine."
        )
    if any(isinstance(one, ConnectionRefusedError) for one in behind):
        return LLMError(f"Nothing listens at {host}. Start the service, or check {service.address_setting}.")
    return LLMError(
        f"The connection to {host} failed. Try again; if it stays so, check {service.address_setting}, and the "
        "network, proxy or VPN of this machine."
    )
