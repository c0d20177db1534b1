"""Find the readable document that a client means, from a name or from the description in a question."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.errors import AmbiguousDocument, AskDifferently
from corpus.filters import Filters
from corpus.index.protocol import Index
from corpus.lookup.filter_resolution import options, resolve_document, resolve_filters
from corpus.search import Listing
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.request import SynthesisRequest
from corpus.text.normalization import clean, fold_case

MAX_QUESTION_CHARACTERS = 200
"""Maximum length in characters of a question that may be a mere request for a document."""
MAX_WORDS = 6
"""Maximum number of words in a description."""

_NOUNS = {
    "Manual": "manual handbook guide handbuch handbuchs handbuches anleitung bedienungsanleitung betriebsanleitung",
    "Report": "report bericht berichts berichtes",
    "Paper": "paper article study artikel artikels aufsatz aufsatzes studie",
    "Slides": "slides presentation deck präsentation folien",
    "Spreadsheet": "spreadsheet workbook",
    "Note": "note notes memo minutes notiz vermerk protokoll protokolls",
    "Mail": "mail email e-mail",
    "": "document file pdf dokument dokuments dokumentes datei",
    "?": "contract policy invoice proposal specification agreement brochure leaflet newsletter vertrag vertrags "
    "vertrages richtlinie rechnung angebot angebots spezifikation vereinbarung broschüre merkblatt",
}
_KIND = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}

_MANNER = re.compile(
    r"\b(?:please|bitte|briefly|shortly|in short|in brief|in detail|for me|for us|kurz|knapp|ausführlich|mal|mir|uns"
    r"|(?:in|auf) (?:english|german|englisch|deutsch)"
    r"|in (?:a few|\d+|one|two|three|four|five|ein paar|einem|zwei|drei|vier|fünf) "
    r"(?:short |kurzen )?(?:sentences?|words|lines|bullet points|bullets|paragraphs?|sätzen|satz|worten|stichpunkten))"
    r"\b"
)
_POLITE = re.compile(
    r"^(?:(?:can|could|would|will) you|i (?:want|need) you to|(?:kannst|könntest) du|(?:können|könnten) sie) "
)
_REQUESTS = tuple(
    re.compile(rf"\A{pattern}\Z")
    for pattern in (
        r"(?P<verb>summari[sz]e|sum up|recap|outline) (?P<it>.+)",
        r"(?:explain|describe) (?P<it>.+)",
        r"(?:give me |give us |give |provide |write |i need |i want )?(?:an? |the )?(?:\w+ )?"
        r"(?P<verb>summary|overview|outline) (?:of|for) (?P<it>.+)",
        r"what(?: is| s|s) (?P<it>.+) about",
        r"what(?: is| s|s) in (?P<it>.+)",
        r"what does (?P<it>.+) (?:say|contain|cover)",
        r"(?:what are |list |give me |give )?(?:the )?(?:key|main) (?:points|findings|messages|takeaways) "
        r"(?:of|from|in) (?P<it>.+)",
        r"(?P<verb>fasse?|fassen sie) (?P<it>.+) zusammen",
        r"(?P<it>.+) (?P<verb>zusammenfassen)",
        r"(?:gib |gib eine |ich brauche |schreibe |schreib )?(?:eine |die )?(?:\w+ )?"
        r"(?P<verb>zusammenfassung|überblick) (?:von |zu |über |für )?(?P<it>.+)",
        r"(?:worum geht(?: es| s|s)|was steht) (?:in )?(?P<it>.+)",
        r"wovon handelt (?P<it>.+)",
        r"(?:erkläre?|beschreibe?) (?P<it>.+)",
    )
)
_ARTICLE = re.compile(r"(?:the|this|that|der|die|das|den|dem|des|diese[nmrs]?|im|vom|zum|zur) (?P<words>.+)")
_SEVERAL_WORDS = "and or all both every each und oder alle beide beiden jede jeden"
_SEVERAL = frozenset(_SEVERAL_WORDS.split())
_BETWEEN_WORDS = (
    "of from for by about on in at the a an to dated aus von vom für über zu zur zum des der die das den dem im am"
)
_BETWEEN = frozenset(_BETWEEN_WORDS.split())
_REFERENCE_WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Description:
    """A description of a document. `kind` is a document type, "" for any type, or None if the noun is not a document
    type and is therefore treated as a word. `words` must occur in the document's metadata or, if there is no noun, in
    its names."""

    noun: str | None
    kind: str | None
    words: tuple[str, ...]


def description(question: str) -> Description | None:
    """Return the description of the document if the question merely asks for a single document, otherwise None."""
    if len(question) > MAX_QUESTION_CHARACTERS:
        return None
    plain = " ".join(_REFERENCE_WORD.findall(fold_case(clean(question))))
    plain = _POLITE.sub("", " ".join(_MANNER.sub(" ", plain).split()))
    for request in _REQUESTS:
        if (match := request.match(plain)) and (article := _ARTICLE.fullmatch(match["it"])):
            return _describe(article["words"].split(), wholly="verb" in request.groupindex)
    return None


def _describe(words: list[str], *, wholly: bool) -> Description | None:
    if _SEVERAL.intersection(words):
        return None
    noun = next((word for word in words if word in _KIND), None)
    rest = tuple(word for word in words if word not in _BETWEEN and word != noun)
    if len(rest) > MAX_WORDS:
        return None
    if noun is None:
        return Description(None, None, rest) if wholly and len(rest) > 1 else None
    kind = _KIND[noun]
    nominative = _nominative(noun)
    return Description(nominative, None, (nominative, *rest)) if kind == "?" else Description(nominative, kind, rest)


def _nominative(noun: str) -> str:
    """Return the base form of words such as "Berichts" or "Vertrages", because inflected forms do not occur in
    titles."""
    return next((noun[:end] for end in (-1, -2) if noun.endswith("s") and noun[:end] in _KIND), noun)


MAX_DOCUMENTS = 100
"""Maximum number of documents of one type to consider."""
LAST_PAGE = 50
"""Number of the last page from which passages for a summary are used."""
MIN_PASSAGE_CHARACTERS = 120
"""Minimum length in characters of a passage that is likely to be meaningful on its own."""
_PREFIX = 4
"""Minimum length in characters of a word that may match as a prefix of another, as "pump" matches "pumps"."""
_WORD = re.compile(r"[^\W_]+")


class DocumentResolver:
    """Resolves names and descriptions to documents in one index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def by_name(self, name: str, caller: Caller) -> Document:
        """Return the document with this name. Raises DocumentNotFound, or AmbiguousDocument if several documents
        match."""
        return await resolve_document(self._index, caller, doc_id=None, name=name)

    async def by_id_or_name(self, id_or_name: str, caller: Caller) -> Document:
        """Return the document with this id or name. Raises the same errors as `by_name`."""
        known = await self._index.documents([id_or_name], caller)
        return known[id_or_name] if id_or_name in known else await self.by_name(id_or_name, caller)

    async def by_question(self, request: SynthesisRequest, caller: Caller) -> Document | None:
        """Return the single document that a question describes and asks to summarise. Return None if it is a different
        question or no document matches.

        Raises AmbiguousDocument if several documents match, unless blocks, filters or earlier turns identify the
        document.
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
        """Return the request, changed to ask for a summary of the chosen document. It uses passages from the document,
        or a search within it if there are none or filters restrict them. Raises DocumentNotFound."""
        within = request.filters.page_number or request.filters.block_type
        passages = () if within else await self.passages(doc_id, request.top_k, caller)
        if passages:
            return replace(request, filters=Filters(), block_ids=passages)
        return replace(request, filters=replace(request.filters, doc_id=(doc_id,)))

    async def passages(self, doc_id: str, limit: int, caller: Caller) -> tuple[str, ...]:
        """Return the ids of text blocks spread over the first pages, for a summary. A search would not help, because
        the words in "Summarise the report" match nothing in the document. Raises DocumentNotFound."""
        blocks = await self._index.pages(doc_id, 1, LAST_PAGE, caller)
        texts = [
            block.block_id
            for block in blocks
            if block.block_type == "text" and len(block.content or "") >= MIN_PASSAGE_CHARACTERS
        ]
        texts = texts or [block.block_id for block in blocks if block.block_type == "text"]
        return tuple(dict.fromkeys(texts[n * len(texts) // limit] for n in range(limit))) if texts else ()

    async def _candidates(self, target: Description, filters: Filters, caller: Caller) -> list[Document]:
        """Return the readable documents of the described type, and those with a matching name, sorted by title."""
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
        except AskDifferently:  # no document of this type, or the index does not support such a listing
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
