"""Types of citation reading: citable sources, claims, and the answer's citations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClaimKind = Literal["sentence", "item", "row"]


@dataclass(frozen=True, slots=True)
class Citable:
    """A numbered source, and the ways in which an answer can cite it: by number, by file and page, or by address."""

    number: int
    file: str | None = None
    page: int | None = None
    page_label: str | None = None
    url: str | None = None
    written: str | None = None
    """Citation as written by `corpus.citations`. A marker in this form cites all sources with the same citation."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A checkable sentence, list item or table row.

    `text` excludes markers, emphasis and list marks; a row keeps its bars. `start` and `end` are offsets into the
    answer in code points, including markers. `citations` contains source numbers in order of first appearance;
    `invalid` contains markers that match no source, as written (`7`, `other.pdf, S. 3`).
    """

    text: str
    start: int
    end: int
    kind: ClaimKind
    citations: tuple[int, ...] = ()
    invalid: tuple[str, ...] = ()

    @property
    def is_cited(self) -> bool:
        """Return whether the claim has any marker, valid or not."""
        return bool(self.citations or self.invalid)


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """The claims of an answer in order. `citations` and `invalid` include markers outside claims."""

    claims: tuple[Claim, ...]
    citations: tuple[int, ...]
    invalid: tuple[str, ...]

    @property
    def uncited(self) -> tuple[Claim, ...]:
        """Return the claims without any marker."""
        return tuple(claim for claim in self.claims if not claim.is_cited)
