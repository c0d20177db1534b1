"""Resolve which document a client means, by a name or by the description in a question, among the readable ones."""

from __future__ import annotations

import re
from dataclasses import replace

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.errors import AmbiguousDocument, AskDifferently
from corpus.filters import Filters
from corpus.index.protocol import Index
from corpus.lookup.disambiguation import options
from corpus.lookup.document_reference import Description, description
from corpus.lookup.filter_resolution import resolve_document, resolve_filters
from corpus.search import Listing
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.request import SynthesisRequest
from corpus.text.normalization import fold_case

MAX_DOCUMENTS = 100
"""Documents of one type that are considered."""
LAST_PAGE = 50
"""The last page from which passages of a summary are taken."""
MIN_PASSAGE_CHARACTERS = 120
"""Characters of a passage that is meaningful by itself."""
_PREFIX = 4
"""Characters from which a word may be a prefix of another, as "pump" of "pumps"."""
_WORD = re.compile(r"[^\W_]+")


class DocumentResolver:
    """Document resolution over one index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def by_name(self, name: str, caller: Caller) -> Document:
        """The document with this name. Raises DocumentNotFound, and AmbiguousDocument for a name that matches
        several."""
        return await resolve_document(self._index, caller, doc_id=None, name=name)

    async def by_id_or_name(self, id_or_name: str, caller: Caller) -> Document:
        """The document a person named by id or by name. Raises what `by_name` raises."""
        known = await self._index.documents([id_or_name], caller)
        return known[id_or_name] if id_or_name in known else await self.by_name(id_or_name, caller)

    async def by_question(self, request: SynthesisRequest, caller: Caller) -> Document | None:
        """The one document whose summary a question asks for by a description; None for other questions and without a
        match.

        Raises AmbiguousDocument for several matches, unless blocks, filters or earlier turns determine the document.
        """
        target = description(request.query)
        is_named = request.filters.doc_id or request.filters.filename or request.block_ids
        if target is None or is_named or request.history or request.observations:
            return None
        fitting = [
            document for document in await self._candidates(target, request.filters, caller) if _fits(target, document)
        ]
        if len(fitting) < 2:
            return next(iter(fitting), None)
        raise AmbiguousDocument(
            f"The question may mean any of {len(fitting)} documents. Ask which one is meant, and call again with "
            "filters.doc_id; a list of ids there answers from several.",
            options=options(fitting),
            language=parse_question(request.query).language,
        )

    async def answered_from(self, request: SynthesisRequest, doc_id: str, caller: Caller) -> SynthesisRequest:
        """The request for a summary of the chosen document: from its passages, or from a search within it where there
        are none or filters restrict it. Raises DocumentNotFound."""
        within = request.filters.page_number or request.filters.block_type
        passages = () if within else await self.passages(doc_id, request.top_k, caller)
        if passages:
            return replace(request, filters=Filters(), block_ids=passages)
        return replace(request, filters=replace(request.filters, doc_id=(doc_id,)))

    async def passages(self, doc_id: str, limit: int, caller: Caller) -> tuple[str, ...]:
        """Ids of text blocks spread over the first pages, for a summary: the words of "Summarise the report" match
        nothing in it. Raises DocumentNotFound."""
        blocks = await self._index.pages(doc_id, 1, LAST_PAGE, caller)
        texts = [
            block.block_id
            for block in blocks
            if block.block_type == "text" and len(block.content or "") >= MIN_PASSAGE_CHARACTERS
        ]
        texts = texts or [block.block_id for block in blocks if block.block_type == "text"]
        return tuple(dict.fromkeys(texts[n * len(texts) // limit] for n in range(limit))) if texts else ()

    async def _candidates(self, target: Description, filters: Filters, caller: Caller) -> list[Document]:
        """Readable documents of the type, and those with such a name, by title."""
        listings = [Listing(" ".join(target.words) if target.noun is None else target.noun, filters)]
        if target.kind == "":
            listings = [Listing(None, filters)]
        elif target.kind and not filters.document_type:
            listings.append(Listing(None, replace(filters, document_type=(target.kind,))))
        by_id: dict[str, Document] = {}
        for listing in listings:
            by_id |= {document.doc_id: document for document in await self._list(listing, caller)}
        return sorted(by_id.values(), key=lambda document: (fold_case(document.title), document.doc_id))

    async def _list(self, listing: Listing, caller: Caller) -> tuple[Document, ...]:
        try:
            filters = await resolve_filters(listing.filters, self._index, caller)
            listing = replace(listing, filters=filters, sort_by="title", limit=MAX_DOCUMENTS)
            return (await self._index.list_documents(listing, caller)).documents
        except AskDifferently:  # no document of this type, or an index without such a listing
            return ()


def _fits(target: Description, document: Document) -> bool:
    names = f"{document.title} {document.filename}"
    name_words = _words(names)
    if target.kind and document.document_type != target.kind and not _matches(target.noun or "", name_words):
        return False
    if target.kind is None:
        return all(_matches(word, name_words) for word in target.words)
    dates = f"{document.document_date or ''} {document.upload_date[:10] if not document.document_date else ''}"
    known_words = name_words | _words(
        f"{document.department or ''} {document.author or ''} {document.document_type} {dates}"
    )
    return all(_matches(word, known_words) for word in target.words)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold_case(text)))


def _matches(word: str, known: frozenset[str]) -> bool:
    parts = _WORD.findall(word)
    return all(
        part in known or (len(part) >= _PREFIX and any(known_word.startswith(part) for known_word in known))
        for part in parts
    )
