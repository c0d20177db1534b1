"""All expected failures. The class shows what the caller can do next.

IbidError
├── AskDifferently            the request is at fault; another request can work
│   ├── InvalidRequest        a bad filter, page, cursor or parameter
│   ├── DocumentNotFound      no such document, page or block among those the caller may read
│   └── AmbiguousDocument     a name or description fits several documents; `options`
├── TryLater                  the request is fine; it can work later
│   ├── Timeout
│   ├── AzureSearchError
│   └── LLMError
└── CallTheOperator           a person with access to the installation must act
    ├── NotConfigured         a setting or a component is missing or malformed
    ├── AccessDenied          the caller is not admitted at all
    └── InternalError         the installation itself is at fault (a damaged index)

UnreadableDocument is separate: it is the result for one file during ingestion and never reaches a client.
"""

from __future__ import annotations

from typing import ClassVar


class IbidError(Exception):
    """A failure, with a message for the reader and hints on what to try next. `type` identifies it in responses to
    clients."""

    type: ClassVar[str] = "InternalError"

    def __init__(self, message: str, *, hints: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.hints = hints


class AskDifferently(IbidError):
    """A different request may work."""


class InvalidRequest(AskDifferently):
    """A filter, page, cursor or parameter is invalid."""

    type = "InvalidRequest"


class DocumentNotFound(AskDifferently):
    """The document, page or block does not exist, or the caller may not read it. The two cases are
    indistinguishable."""

    type = "DocumentNotFound"


class AmbiguousDocument(AskDifferently):
    """A name or description matches several documents. `options` contains pairs of a document id and a description for
    people, in order; the hints list the first `MAX_LISTED` of them. `language` is the language of the question, for a
    dialog with the user."""

    type = "AmbiguousDocument"
    MAX_LISTED: ClassVar[int] = 10

    def __init__(self, message: str, *, options: tuple[tuple[str, str], ...], language: str | None = None) -> None:
        listed = options[: self.MAX_LISTED]
        hints = [f"{n}. {_with_id(doc_id, text)}" for n, (doc_id, text) in enumerate(listed, 1)]
        if more := len(options) - len(listed):
            hints.append(f"{more} more: narrow it down with more of its name.")
        super().__init__(message, hints=tuple(hints))
        self.options = options
        self.language = language

    @property
    def listed_ids(self) -> tuple[str, ...]:
        """The ids that the hints list."""
        return tuple(doc_id for doc_id, _ in self.options[: self.MAX_LISTED])

    def saying(self, why: str) -> AmbiguousDocument:
        """Return a copy that states why no document was chosen."""
        return AmbiguousDocument(f"{self} {why}", options=self.options, language=self.language)


def _with_id(doc_id: str, text: str) -> str:
    return text if text.startswith(f"{doc_id} (") else f"{text}, doc_id {doc_id}"


class TryLater(IbidError):
    """The same request may work later."""


class Timeout(TryLater):
    """The operation took too long, or ran into a rate limit or a lock."""

    type = "Timeout"


class AzureSearchError(TryLater):
    """Azure AI Search failed or refused the request."""

    type = "AzureSearchError"


class LLMError(TryLater):
    """The language model failed or returned nothing usable."""

    type = "LLMError"


class CallTheOperator(IbidError):
    """A person with access to the installation must act."""


class NotConfigured(CallTheOperator):
    """A setting or a component is missing or malformed."""

    type = "NotConfigured"


class AccessDenied(CallTheOperator):
    """The caller is not admitted at all."""

    type = "AccessDenied"


class InternalError(CallTheOperator):
    """The installation itself is at fault, for example because the index is damaged."""

    type = "InternalError"


class UnreadableDocument(Exception):
    """A file could not be read. The message is the reason, which is shown to the person who ingests the file."""
