"""Distinguish answers from refusals, and describe an answer's confidence in words."""

from __future__ import annotations

from typing import Literal

from corpus.synthesis.answer import NOT_IN_SOURCES, Synthesis
from corpus.synthesis.phrases import ENGLISH, GERMAN

Sureness = Literal["very likely", "likely", "unsure"]

VERY_LIKELY, LIKELY = 0.8, 0.5
"""Minimum confidences at which an answer is called very likely and likely. Below LIKELY, the answer itself contains a
notice."""

_REFUSALS = (
    NOT_IN_SOURCES,
    *(phrase for words in (ENGLISH, GERMAN) for phrase in (words.nothing_found, words.unanswered)),
)


def answered_words(synthesis: Synthesis) -> bool:
    """Return whether the synthesis seems to answer its question."""
    return synthesis.mode != "none" and synthesis.answered and synthesis.confidence > 0


def body_of(answer: str) -> str:
    """Return the answer without its title."""
    first, _, rest = answer.strip().partition("\n")
    return rest.strip() if first.startswith("# ") else answer.strip()


def without_refusal(body: str) -> str:
    """Return the body without the refusal's sentence at its start, for views that show that sentence themselves."""
    refusal = next((phrase for phrase in _REFUSALS if body.startswith(phrase)), "")
    return body[len(refusal) :].lstrip(" \n.")


def sureness(confidence: float) -> Sureness:
    """Return the word for a confidence, 0..1."""
    if confidence >= VERY_LIKELY:
        return "very likely"
    return "likely" if confidence >= LIKELY else "unsure"
