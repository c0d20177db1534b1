"""The plain method for comparison: the fraction of a claim's content words that its source contains."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.grounding.measures import Measured, auroc, balanced_accuracy
from bench.grounding.rows import Row

THRESHOLD = 0.667
"""Best single threshold for other claims from the same four kinds of data, of which half were held out."""

_WORD = re.compile(r"\w+")
_WORDS_OF_FORM = """
a an the of in on at to for and or is are was were be been by with as it its this that these those from he she they his
her their has have had not but which who whom whose will would can could may also than then there into about over more
most such
"""
_OF_FORM = frozenset(_WORDS_OF_FORM.split())


def content_word_recall(claim: str, evidence: str) -> float:
    """Return the fraction of content words, from 0 to 1. It is 0 for a claim that has only function words."""
    words = _content(claim)
    return len(words & _content(evidence)) / max(1, len(words))


def plain(given: Sequence[Row], draws: int) -> tuple[Measured, Measured]:
    """Return balanced accuracy at the threshold, and AUROC."""
    scores = [content_word_recall(row.claim, row.evidence) for row in given]
    true = [row.supported for row in given]
    return balanced_accuracy([one >= THRESHOLD for one in scores], true, draws), auroc(scores, true, draws)


def _content(text: str) -> set[str]:
    return set(_WORD.findall(text.lower())) - _OF_FORM
