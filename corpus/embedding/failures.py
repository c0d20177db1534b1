"""Turn failures of an embedding service into our own errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.embedding.vectors import WrongLength
from corpus.errors import IbidError, NotConfigured
from corpus.services import failures

if TYPE_CHECKING:
    from corpus.services.where import Service

TOO_MUCH = frozenset({400, 413, 422})
"""Status codes of services that want fewer or shorter texts in a request."""


def failure(error: Exception, service: Service) -> IbidError:
    """Return the error to raise for what openai, the deadline or the answer's checks raised."""
    if isinstance(error, WrongLength):
        return NotConfigured(
            f"{service.what} at {service.host} gives {error}. Set RAG_EMBEDDER_DIMENSIONS={error.length}, or check "
            f"{service.model_setting}."
        )
    return failures.failure(error, service)
