"""The options of an ingestion run, and how they change documents in the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpus.documents.document import Document
from corpus.index.protocol import WritableIndex
from corpus.ingestion.access_lists import AccessList, access_list
from corpus.ingestion.existing_documents import ExistingDocuments
from corpus.ingestion.paths import is_under


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """None keeps what a document has, or the default.

    `allow` holds for every document under the paths, `allow_new` for new ones alone. `prune` removes documents whose
    files vanished, are excluded or lie behind a link out of the folders; `prune_empty` also those of a folder that is
    gone or empty. `by_time` takes a file of unchanged size and time for unchanged.
    """

    allow: tuple[str, ...] | None = None
    allow_new: tuple[str, ...] | None = None
    department: str | None = None
    document_type: str | None = None
    prune: bool = False
    prune_empty: bool = False
    by_time: bool = False


DEFAULT_OPTIONS = IngestOptions()


@dataclass(frozen=True, slots=True)
class CheckedOptions:
    """Options whose `allow` and `allow_new` are in the index's form."""

    options: IngestOptions
    allow: AccessList | None
    allow_new: AccessList | None

    @property
    def keeps_access(self) -> bool:
        """Whether an existing document keeps its list in the index."""
        return self.allow is None

    def applied_to(self, document: Document) -> Document:
        """Return the document with these options."""
        return replace(
            document,
            access_control_list=document.access_control_list if self.allow is None else self.allow,
            department=self.options.department or document.department,
            document_type=self.options.document_type or document.document_type,
        )

    async def apply(self, index: WritableIndex, existing: ExistingDocuments, roots: Sequence[Path]) -> int:
        """Update existing documents under the roots, and return how many access lists changed.

        This runs before any file is opened: a narrower list must hold even for a file that can no longer be read.
        Raises IbidError where the index fails.
        """
        changed = 0
        for place, document in existing.at.items():
            updated = self.applied_to(document)
            if updated != document and any(is_under(Path(place), root) for root in roots):
                await index.update(updated, keep_access=self.keeps_access)
                existing.at[place] = updated
                changed += updated.access_control_list != document.access_control_list
        return changed


def check_options(options: IngestOptions, *, prefixed: bool) -> CheckedOptions:
    """Check the options. Raises InvalidRequest for a principal that could match nobody."""
    allow, new = options.allow, options.allow_new
    return CheckedOptions(
        options,
        None if allow is None else access_list(allow, prefixed=prefixed),
        None if new is None else access_list(new, prefixed=prefixed, option="RAG_DOCUMENTS_ALLOW"),
    )
