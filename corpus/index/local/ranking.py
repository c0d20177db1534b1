"""The numbers that decide an order, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.fusion import DEFAULT, Fusion


@dataclass(frozen=True, slots=True)
class Ranking:
    """`context` weighs title, file name and heading against the passage; `figures` is what an image gains when
    the query asks for a picture; `full_reach` is the score, as a multiple of what a passage with every word of the
    query once would get, from which on the best match by words counts in full; `evened` is the share of what vectors
    give to a language that is taken back, and `doubt` how slowly a language's mean is believed (`favour.corrections`);
    `spread` is what is left of a block's score for each block of its document before it, where the query compares
    things; with `once` a passage that repeats a better one word for word is left out.

    `context` and `full_reach` were chosen together with the packaged embedder, on the sets of `bench/retrieval.py` and
    `bench/ir.py`: whichever set is left out, the others prefer these values or ones that rank it the same.
    `bench/weights.py` does so for the weights of `fusion`.
    """

    fusion: Fusion = DEFAULT
    context: float = 0.6
    figures: float = 0.1
    full_reach: float = 1.3
    evened: float = 1.0
    doubt: float = 20.0
    spread: float = 0.9
    once: bool = True
    candidates: int = 50
    rescored: int = 100
    most_words: int = 64
    longest_query: int = 2_000
