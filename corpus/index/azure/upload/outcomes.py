"""The outcome for each document of an upload, and the report on a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

PushKind = Literal["pushed", "updated", "unchanged", "waiting", "refused", "failed", "gone", "removed"]
KINDS: tuple[PushKind, ...] = (
    "pushed", "updated", "unchanged", "waiting", "refused", "failed", "gone", "removed",
)  # fmt: skip
UNDONE: frozenset[PushKind] = frozenset({"waiting", "refused", "failed"})


@dataclass(frozen=True, slots=True)
class PushOutcome:
    """The outcome for one document. `updated` means that only the access list and facts were uploaded; `gone` means
    that the document is on the service but no longer in the local index."""

    kind: PushKind
    doc_id: str
    name: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PushReport:
    """The outcomes of a run. `without_picture` counts the figures whose pictures were omitted; `unseen` counts the
    documents on the service that the service cannot list."""

    outcomes: tuple[PushOutcome, ...]
    without_picture: int = 0
    unseen: int = 0

    @property
    def undone(self) -> tuple[PushOutcome, ...]:
        """Documents that were not uploaded."""
        return tuple(one for one in self.outcomes if one.kind in UNDONE)


class PushProgress(Protocol):
    """Receives events on the event loop; methods must not block."""

    def document_total(self, count: int) -> None:
        """Called once the number of documents in the run is known."""

    def document_waits(self, name: str, seconds: float) -> None:
        """Called when a document has to wait, because the service may still be processing rows of an interrupted
        upload."""

    def document_done(self, outcome: PushOutcome) -> None:
        """Called when a document has its outcome."""


def summary(outcomes: Sequence[PushOutcome]) -> str:
    """Return the non-zero counts by kind, such as `3 pushed, 1 failed`."""
    counts = [(kind, sum(1 for one in outcomes if one.kind == kind)) for kind in KINDS]
    return ", ".join(f"{count} {kind}" for kind, count in counts if count) or "no documents"
