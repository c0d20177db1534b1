"""What to say of an answer whose sources hardly speak to the question."""

from __future__ import annotations

from corpus.synthesis.gathering import Gathered
from corpus.synthesis.strength import is_weak, not_found

MOST_NAMES = 3
LONGEST_NAME = 40


def doubts(found: Gathered) -> tuple[str, ...]:
    """A sentence where the evidence is weak. What the client handed in is not judged, nor what stands beside it."""
    if len(found.hits) < len(found.sources) or not is_weak(found.question, found.hits):
        return ()
    missing = [one[:LONGEST_NAME] for one in not_found(found.question, found.hits)[:MOST_NAMES]]
    named = f" Nothing found names {', '.join(missing)}." if missing else ""
    return (f"What was found hardly speaks to the question and may not answer it.{named}",)
