"""Document names in questions that the index does not know: a typo must not count as a bad search."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.access import Caller
from corpus.evaluation.outcome import Outcome, is_named
from corpus.library import Library
from corpus.listing import every_document


async def unknown_names(outcomes: Sequence[Outcome], library: Library, caller: Caller) -> tuple[str, ...]:
    """The unknown names as written. Documents are listed only where a search did not find all that were named."""
    unknown = dict.fromkeys(
        outcome.question.document
        for outcome in outcomes
        if outcome.question.document and outcome.ranks.document is None
    )
    if unknown:
        async for document in every_document(library, caller):
            for name in [name for name in unknown if is_named(document, name)]:
                del unknown[name]
            if not unknown:
                break
    return tuple(unknown)
