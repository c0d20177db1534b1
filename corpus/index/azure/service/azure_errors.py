"""Convert failures of the service, or of the connection to it, to our own errors, each with a suggested fix.

Messages and hints do not quote the service, because its texts repeat the filter and thus the caller's principals. This
module also validates response data other than row fields: scores, captions, counts, and knowledge base activity.
"""

from __future__ import annotations

import math
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    IncompleteReadError,
    ServiceRequestTimeoutError,
    ServiceResponseTimeoutError,
)

from corpus.errors import AzureSearchError, IbidError, Timeout
from corpus.index.azure.rows import MAX_NUMBER, RERANKED, SCORE
from corpus.processes.gather import causes

READING, WRITING, MAKING = (
    "Search Index Data Reader", "Search Index Data Contributor", "Search Service Contributor",
)  # fmt: skip
_ROLES = {
    "upload": WRITING, "merge": WRITING, "delete": WRITING, "create_index": MAKING, "get_index": MAKING,
}  # fmt: skip
_MAY = {READING: "read index {}", WRITING: "write into index {}", MAKING: "see or make index {}"}

CALLER_HEADER = "x-ms-query-source-authorization"
"""Header for the token of the caller whose rights the service is to check."""
FIREWALL = "The firewall of the service must admit this machine."

Report = tuple[str, tuple[str, ...]]
"""A message and its hints."""


def no_identity() -> Report:
    """Return the report for the case that no Azure identity is available."""
    return "No Azure identity could be used to sign in to Azure AI Search.", (
        "Set AZURE_SEARCH_API_KEY, or sign in: `az login`, a managed identity, or AZURE_CLIENT_ID, AZURE_TENANT_ID and "
        "AZURE_CLIENT_SECRET.",
    )


def not_admitted(error: HttpResponseError, index: str, operation: str) -> Report:
    """Return the report for a 401 or 403 response to an operation of the connection, such as search or upload."""
    role, key = _ROLES.get(operation, READING), _by_key(error)
    if error.status_code == 401:
        return _unknown(key=key)
    text = f"Azure AI Search does not allow this {_who(key=key)} to {_MAY[role].format(index)}."
    if not key:
        cure = f"It needs the role {role} on the service, and role-based access switched on there. A new role takes "
        cure += "some minutes."
    elif role == READING:
        cure = "AZURE_SEARCH_API_KEY must be a complete query key or admin key of this service."
    else:
        cure = admin_key_or(role)
    return text, (cure, FIREWALL)


def admin_key_or(role: str) -> str:
    """Return the fix for a key that may not write or create. The service does not report why it refuses a key."""
    return (
        "AZURE_SEARCH_API_KEY must be an admin key of this service, and complete: it may be mistyped, a key of another "
        f"service, or a query key, which can only read. Or unset it, and sign in as an identity with the role {role}."
    )


def _unknown(*, key: bool) -> Report:
    cure = (
        "Check AZURE_SEARCH_API_KEY; a service that takes roles alone refuses every key: unset it to sign in with an "
        "Azure identity."
        if key
        else "The service must have role-based access switched on (Settings, Keys). In a sovereign cloud, "
        "AZURE_SEARCH_AUDIENCE must say whose tokens it takes."
    )
    return f"Azure AI Search did not accept the {_who(key=key)}.", (cure,)


def _who(*, key: bool) -> str:
    return "key" if key else "Azure identity"


def _by_key(error: HttpResponseError) -> bool:
    """Return whether the request was signed with a key rather than a token."""
    request = getattr(error.response, "request", None)
    return "api-key" in {str(name).lower() for name in getattr(request, "headers", None) or ()}


LATER = "The same can work in a moment."
DOCTOR = "`ibid doctor` with RAG_BACKEND=azure, on the machine of the server, tries each part and says what is wrong."

_STATUS: dict[int, tuple[str, tuple[str, ...]]] = {
    400: (
        "Azure AI Search refused the request for index {index} as malformed.",
        (
            "Often a field is missing there, or is not filterable, searchable or sortable as it must be.",
            DOCTOR,
        ),
    ),
    404: (
        "Azure AI Search has no index {index}.",
        (
            "Check AZURE_SEARCH_ENDPOINT, AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX.",
            "`ibid azure create-indexes` makes both.",
        ),
    ),
    413: ("The request was too large for Azure AI Search.", ("A shorter one, with fewer values, may do.",)),
    429: ("Azure AI Search is refusing requests because there are too many.", (LATER,)),
    503: ("Azure AI Search is overloaded or being updated.", (LATER,)),
}
_FOREIGN_TOKEN = (
    "Azure AI Search did not accept the caller's token.",
    ("It must be issued for https://search.azure.com. RAG_AZURE_ON_BEHALF_OF exchanges others.", DOCTOR),
)
_SERVER = ("Azure AI Search failed to answer (status {status}).", (LATER,))
_OTHER = ("Azure AI Search refused the request for index {index} (status {status}).", (DOCTOR,))


def failure(error: AzureError, index: str, host: str, operation: str) -> IbidError:
    """Return our error for an SDK error. `operation` is the name of the connection's operation, such as search,
    get_index, create_index, upload, merge or delete."""
    if isinstance(error, ServiceResponseTimeoutError | ServiceRequestTimeoutError):
        return timed_out(host)
    if isinstance(error, IncompleteReadError):
        return _broken(host)
    if isinstance(error, ClientAuthenticationError) and not _of_the_service(error):
        text, hints = no_identity()
        return AzureSearchError(text, hints=(*hints, DOCTOR))
    if isinstance(error, HttpResponseError):
        return _answered(error, index, operation) if (error.status_code or 0) >= 400 else foreign_response(host)
    return _unreached(error, host)


def timed_out(host: str) -> Timeout:
    """Return the error for a request that exceeded its deadline."""
    return Timeout(f"{host} did not answer in time.", hints=(LATER, DOCTOR))


def foreign_response(host: str) -> AzureSearchError:
    """Return the error for a response that is not from the service, such as a proxy's page, a redirect or invalid
    JSON."""
    return AzureSearchError(
        f"The response from {host} is not from Azure AI Search.",
        hints=("Check AZURE_SEARCH_ENDPOINT, and whether a proxy stands in between.", DOCTOR),
    )


def response_too_long(host: str, most: int) -> AzureSearchError:
    """Return the error for a response that is longer than `most` bytes."""
    return AzureSearchError(
        f"{host} answered with more than {most // 2**20} MB, so the rest was not read.",
        hints=(LATER, "Check AZURE_SEARCH_ENDPOINT, and whether a proxy stands in between.", DOCTOR),
    )


def _answered(error: HttpResponseError, index: str, operation: str) -> AzureSearchError:
    status = error.status_code or 0
    if status in (401, 403):
        text, hints = not_admitted(error, index, operation)
        return AzureSearchError(text, hints=(*hints, DOCTOR))
    if status == 400 and CALLER_HEADER in (error.message or ""):
        text, hints = _FOREIGN_TOKEN
        return AzureSearchError(text, hints=hints)
    text, hints = _STATUS.get(status) or (_SERVER if status >= 500 or status == 408 else _OTHER)
    return AzureSearchError(text.format(index=index, status=status), hints=hints)


def _unreached(error: AzureError, host: str) -> AzureSearchError:
    behind = list(causes(error))
    if is_of_tls(error):
        return AzureSearchError(
            f"The certificate of {host} could not be verified.",
            hints=(
                "Behind a proxy that opens TLS, set SSL_CERT_FILE to the company's certificates. "
                "Check the clock of this machine.",
                DOCTOR,
            ),
        )
    if any(isinstance(one, socket.gaierror | aiohttp.ClientConnectorDNSError) for one in behind):
        return AzureSearchError(
            f"No address is known for {host}.",
            hints=("Check AZURE_SEARCH_ENDPOINT, and the network or VPN of this machine.", DOCTOR),
        )
    if any(isinstance(one, aiohttp.ClientConnectorError | ConnectionRefusedError) for one in behind):
        return AzureSearchError(
            f"{host} cannot be reached.",
            hints=("Check AZURE_SEARCH_ENDPOINT, and the network, proxy or VPN of this machine.", DOCTOR),
        )
    return _broken(host)


def _broken(host: str) -> AzureSearchError:
    return AzureSearchError(f"The connection to {host} broke.", hints=(LATER, DOCTOR))


def _of_the_service(error: ClientAuthenticationError) -> bool:
    """Return whether this response came from the service, not from the identity provider."""
    request = getattr(error.response, "request", None)
    return urlsplit(getattr(request, "url", "")).path.startswith(("/indexes", "/knowledge"))


def is_of_tls(error: BaseException) -> bool:
    """Return whether TLS failed, usually because of the certificate."""
    return any(isinstance(one, ssl.SSLError | aiohttp.ClientSSLError) for one in causes(error))


def status_of(error: IbidError) -> int | None:
    """Return the HTTP status of an error created by this module, or None if there was no response."""
    status = getattr(error.__cause__, "status_code", None)
    return status if isinstance(status, int) else None


CAPTIONS = "@search.captions"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The references returned by a knowledge base: row keys with scores from 0 to 4. `tokens` is the number of tokens
    that its model used; `activity` has one line per step."""

    references: tuple[tuple[str, float], ...]
    activity: tuple[str, ...] = ()
    tokens: int = 0
    partial: bool = False


def row_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with valid scores (finite or None), and only those captions that have text."""
    return {
        **row,
        SCORE: _score(row.get(SCORE)),
        RERANKED: _score(row.get(RERANKED)),
        CAPTIONS: _captions(row),
    }


def total_of(value: object) -> int | None:
    """Return the number of rows, or None if the count is invalid."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < MAX_NUMBER else None


def retrieval_of(answer: Any, *, partial: bool) -> Retrieval:
    """Return the valid references in a knowledge base's response, with its activity and tokens."""
    keys = [
        (key, _score(reference.reranker_score) or 0.0)
        for reference in answer.references or ()
        if reference.type == "searchIndex" and isinstance(key := reference.get("docKey"), str)
    ]
    records = [record for record in answer.activity or () if isinstance(record, Mapping)]
    failed = any(record.get("error") for record in records)
    tokens = sum(_tokens(record) for record in records)
    return Retrieval(tuple(keys), tuple(map(_activity, records)), tokens, partial or failed)


def _tokens(record: Mapping[str, Any]) -> int:
    """Return the total number of tokens in an activity record, over all kinds such as `reasoningTokens`."""
    counts = [value for name, value in record.items() if name.endswith("Tokens")]
    return sum(value for value in counts if isinstance(value, int) and 0 < value < MAX_NUMBER)


def _activity(record: Mapping[str, Any]) -> str:
    """Return a summary like `searchIndex 1234 ms, 2 found`. It omits the arguments, which quote filters."""
    kind, took, count = str(record.get("type"))[:40], record.get("elapsedMs"), record.get("count")
    parts = [f"{kind} {took} ms" if isinstance(took, int) else kind]
    parts += [f"{count} found"] if isinstance(count, int) else []
    return ", ".join(parts + (["failed"] if record.get("error") else []))


def _score(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer too large for a float
        return None


def _captions(row: Mapping[str, Any]) -> tuple[Any, ...]:
    captions = row.get(CAPTIONS)
    if not isinstance(captions, list | tuple):
        return ()
    return tuple(one for one in captions if isinstance(getattr(one, "text", None), str))
