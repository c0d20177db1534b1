"""Build the request of `ibid ask`: the question, and the documents that it means. It never guesses a document."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.access import Caller
from corpus.errors import AmbiguousDocument, DocumentNotFound
from corpus.filters import Filters
from corpus.library import Library
from corpus.lookup.document_resolution import description
from corpus.synthesis.request import SynthesisRequest, Turn

SEVERAL = "The question may mean any of {} documents. Name the one you mean, or several: --document NAME_OR_ID."
FITS = "{!r} fits {} documents. Name one by its id: --document ID."
NONE = "No document {!r} among those you may read. `ibid list` shows ids and file names."


async def request_for(
    shelf: Library,
    question: str,
    documents: Sequence[str],
    top_k: int,
    caller: Caller,
    history: Sequence[Turn] = (),
) -> SynthesisRequest:
    """Raises AmbiguousDocument for "the report" where several fit, and for a name that several have."""
    ids = tuple(dict.fromkeys([await _doc_id(shelf, one, caller) for one in documents]))
    request = SynthesisRequest(question, Filters(doc_id=ids), top_k, history=tuple(history))
    if len(ids) == 1 and description(question):
        return await shelf.resolver.answered_from(request, ids[0], caller)
    try:
        await shelf.resolver.by_question(request, caller)
    except AmbiguousDocument as several:
        raise AmbiguousDocument(SEVERAL.format(len(several.options)), options=several.options) from several
    return request


async def _doc_id(shelf: Library, name: str, caller: Caller) -> str:
    try:
        return (await shelf.resolver.by_id_or_name(name, caller)).doc_id
    except AmbiguousDocument as several:
        text = FITS.format(name[:80], len(several.options))
        raise AmbiguousDocument(text, options=several.options) from several
    except DocumentNotFound as error:  # its text is for a model, and names a tool
        raise DocumentNotFound(NONE.format(name[:80]), hints=error.hints) from error
