"""Semantic ranking: what is asked for it, and what an answer says that had to do without."""

from __future__ import annotations

from corpus.index.azure.connection import Answer
from corpus.index.azure.refusals import Extra
from corpus.index.azure.scores import RERANKED

SEMANTIC_WAIT = 2_000
"""Milliseconds that the ranking may take before the answer comes without it."""


def semantic(configuration: str, text: str) -> Extra:
    wishes = {
        "query_type": "semantic", "semantic_configuration_name": configuration, "semantic_query": text,
        "query_caption": "extractive", "semantic_error_mode": "partial",
        "semantic_max_wait_in_milliseconds": SEMANTIC_WAIT,
    }  # fmt: skip
    return Extra(wishes, frozenset({400, 402}))


def ranked(answer: Answer) -> bool:
    """Whether an answer that was to be ranked so was; one without rows counts as ranked."""
    return not answer.rows or any(row.get(RERANKED) is not None for row in answer.rows)


def refused(configuration: str) -> str:
    return (
        f"The service refused semantic ranking with configuration {configuration}, so this answer was ranked without "
        "it. `ibid doctor` says more; RAG_AZURE_SEMANTIC_CONFIG=none turns it off."
    )


GIVEN_UP = "Semantic ranking took too long or was over its limit, so this answer was ranked without it."
PARTIAL = "Semantic ranking was cut short, so the order of this answer is not its best."
