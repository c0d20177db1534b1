"""What checking a claim gives, and what it is checked against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpus.citing.protocol import Claim

Verdict = Literal["found", "partly", "not_found", "value_mismatch", "invalid_citation", "uncited"]

UNSUPPORTED: tuple[Verdict, ...] = ("not_found", "value_mismatch")


@dataclass(frozen=True, slots=True)
class SourceText:
    """A numbered source as text: for an image its caption, the words in the figure and what the text says of it.
    `heading` is its path of headings, such as `3 Operation > 3.2 Start-up`, which may begin the text. `document` is
    the same for all sources of one document; without it each source is one."""

    number: int
    text: str
    language: str | None = None
    heading: str | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The sentence of a source that has most of a claim's values and, of those, most of its words, without the headings
    above it. `start` and `end` are offsets into the source's text, in code points; `score` is 0..1, the share of the
    claim's words that it holds."""

    number: int
    text: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """`found` means that the wording stands in the cited sources, taken together; it proves no inference.

    `missing` are the numbers, dates and names of the claim that stand in none of them, as the claim has them, and the
    words by which a nearly verbatim claim differs, each with the source's: "monthly (source: annually)".
    `by_words` is what the comparison gave, also of a claim that cites no source and was compared with all.
    `judged_by` is the model whose verdict it is, where words left it `partly` and a model was asked.
    `found_in` are sources that an unsupported claim does not cite and stands in.
    """

    claim: Claim
    verdict: Verdict
    score: float
    evidence: Evidence | None = None
    missing: tuple[str, ...] = ()
    by_words: Verdict = "found"
    found_in: tuple[int, ...] = ()
    judged_by: str | None = None

    @property
    def is_unsupported(self) -> bool:
        return self.verdict in UNSUPPORTED
