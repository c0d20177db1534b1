"""Types of verification: sources as text, evidence, and checked claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpus.citing.protocol import Claim

Verdict = Literal["found", "partly", "not_found", "value_mismatch", "invalid_citation", "uncited"]

UNSUPPORTED: tuple[Verdict, ...] = ("not_found", "value_mismatch")


@dataclass(frozen=True, slots=True)
class SourceText:
    """A numbered source as text. The text of an image is its caption, the words in it and the surrounding text that
    describes it.

    `heading` is its heading path, such as `3 Operation > 3.2 Start-up`, which may start the text. `document` identifies
    the document; without it, each source counts as a separate document.
    """

    number: int
    text: str
    language: str | None = None
    heading: str | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The sentence of a source that contains the most of a claim's values; if several do, the one of them that contains
    the most of its words. Headings above the sentence are excluded. `start` and `end` are offsets into the source's
    text in code points; `score` (0..1) is the fraction of the claim's words that the sentence contains."""

    number: int
    text: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict. `found` means that the cited sources together contain the claim's wording; it does not
    prove an inference.

    `missing` lists the claim's numbers, dates and names that none of the sources contains, as written in the claim. It
    also lists the differing words of a nearly verbatim claim, each with the source's words: "monthly (source:
    annually)". `by_words` is the verdict of the word comparison, in which a claim without citations is compared with
    all sources. `judged_by` is the model that gave the verdict if the word comparison left it at `partly`. `found_in`
    lists uncited sources that support an unsupported claim.
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
        """Return whether, according to the verdict, the cited sources do not support the claim."""
        return self.verdict in UNSUPPORTED
