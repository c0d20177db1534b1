"""What to say of an answer whose sources hardly speak to the question."""

from __future__ import annotations

import re

from corpus.search import ANSWERS
from corpus.synthesis.gathering import Gathered
from corpus.synthesis.phrases import phrases
from corpus.synthesis.strength import is_touched, is_weak, not_found

MOST_NAMES = 3
LONGEST_NAME = 40


def doubts(found: Gathered) -> tuple[str, ...]:
    """A sentence where the evidence is weak. What the client handed in is not judged, nor what stands beside it."""
    if len(found.hits) < len(found.sources) or not _is_weak(found):
        return ()
    missing = unmentioned(found)
    said = phrases(found.question)
    return (" ".join([said.doubtful, *([said.unnamed.format(", ".join(missing))] if missing else [])]),)


def _is_weak(found: Gathered) -> bool:
    """As the search judges it, where its scores mean the same for every question; what the question gives by name must
    stand in what was found besides."""
    if found.relevance is None:
        return bool(is_weak(found.question, found.hits))
    return found.relevance < ANSWERS or bool(not_found(found.question, found.hits))


def unmentioned(found: Gathered) -> tuple[str, ...]:
    """The first few names of the question that nothing found has, as it writes them."""
    lacking = not_found(found.question, found.hits)
    whole = dict.fromkeys(_whole(one, found.question)[:LONGEST_NAME] for one in lacking)
    return tuple(whole)[:MOST_NAMES]


def _whole(name: str, question: str) -> str:
    """With what it is written together with: of "900" the "XR-900"."""
    found = re.search(rf"(?:\w+[-/])*{re.escape(name)}(?:[-/]\w+)*", question)
    return found[0] if found else name


def is_unanswered(found: Gathered) -> bool:
    """Whether nothing that was found seems to answer: the evidence is weak, or no text has to do with the question.
    What the client named or handed in is not judged."""
    searched = [one for one in found.hits if one.score_kind != "none"]
    texts = [one for one in searched if one.block.block_type == "text"]
    if not texts or len(searched) < len(found.sources):
        return False
    return bool(doubts(found)) or (found.relevance is None and not is_touched(found.in_context, texts))
