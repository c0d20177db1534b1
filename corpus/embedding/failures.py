"""What a service of embeddings did that no other service does, as a failure of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.embedding.vectors import WrongLength
from corpus.errors import IbidError, NotConfigured
from corpus.services import failures

if TYPE_CHECKING:
    from corpus.services.where import Service

TOO_MUCH = frozenset({400, 413, 422})
"""Answers of services that want fewer or shorter texts in a request."""


def failure(error: Exception, service: Service) -> IbidError:
    """The failure to raise in place of what the package, the deadline or the look at the answer raised."""
    if isinstance(error, WrongLength):
        return NotConfigured(
            f"{service.what} at {service.host} gives {error}. Set RAG_EMBEDDER_DIMENSIONS={error.found}, or check "
            f"{service.model_setting}."
        )
    return failures.failure(error, service)
