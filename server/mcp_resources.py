"""Serve documents, pages and images as MCP resources. Resources that the caller may not read look like missing ones.

The newest documents are listed too, and clients offer them to their users as attachments to a question.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import structlog
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import Resource

from corpus.documents.block import MAX_PICTURE_SIDE
from corpus.errors import AskDifferently, DocumentNotFound, IbidError, InvalidRequest
from server.calls.deadlines import within
from tools.disclosed_documents import disclose
from tools.protocol import CallerOf, LibraryOf
from tools.uris import document_uri, page_uri

if TYPE_CHECKING:
    from corpus.documents.document import Document

log = structlog.stdlib.get_logger("ibid")

Request = ServerRequestContext[Any, Any]

DOCUMENT = "rag://documents/{doc_id}"
PAGE = DOCUMENT + "/pages/{page}"
PAGE_IMAGE = PAGE + "/image"
BLOCK_IMAGE = "rag://blocks/{block_id}/image"

MAX_LISTED = 50
MAX_TITLE = 200
"""Maximum length of a title, in characters."""
MAX_TOKENS = 2_000
"""Maximum length of a resource's text, in tokens. The limit is low, because clients attach the entire text, and tools
provide the rest of the document."""
MAX_IMAGE_BYTES = 90_000
"""Maximum size of a picture, in bytes. The limit is low, because some clients pass its base64 encoding to the model as
text."""


REST = "(cut here; rag_get_document with doc_id={doc_id} and pages={page} returns the complete page)"


class Resources:
    """The handlers that read resources. `page` is a string, so that a URI with an invalid page number counts as
    unknown, not as malformed."""

    def __init__(self, library: LibraryOf, caller_of: CallerOf, seconds: float | None) -> None:
        self._library = library
        self._caller_of = caller_of
        self._seconds = seconds

    async def document(self, doc_id: str) -> str:
        """Return the JSON answer of rag_get_document without pages."""
        async with _translate_errors(document_uri(doc_id), self._seconds):
            view = await (await self._library()).get_document(self._caller_of(), doc_id=doc_id)
            disclose(view.document.doc_id)
            from tools.rag_get_document import (
                build_answer,
            )  # tools need its imports, but start-up does not

            return build_answer(view.document, view.figures, (), view.warnings, max_tokens=MAX_TOKENS).model_dump_json(
                exclude_none=True
            )

    async def page(self, doc_id: str, page: str) -> str:
        """Return the text of a page."""
        uri = page_uri(doc_id, page)
        async with _translate_errors(uri, self._seconds):
            number = _number(page)
            view = await (await self._library()).get_document(self._caller_of(), doc_id=doc_id, pages=str(number))
            texts = [one.text for one in view.pages if one.page_number == number]
            if view.document.page_count is None:
                raise DocumentNotFound("a document without pages")
            disclose(view.document.doc_id)
            from tools.token_budget import shortened

            whole = "\n\n".join(texts)
            text = shortened(whole, MAX_TOKENS)
            return whole if text == whole else f"{text}\n{REST.format(doc_id=doc_id, page=number)}"

    async def page_image(self, doc_id: str, page: str) -> bytes:
        """Return the page as a picture."""
        uri = f"{page_uri(doc_id, page)}/image"
        async with _translate_errors(uri, self._seconds):
            number = _number(page)
            view = await (await self._library()).show_page(doc_id, number, self._caller_of(), max_bytes=MAX_IMAGE_BYTES)
            disclose(doc_id)
            return view.picture.data

    async def block_image(self, block_id: str) -> bytes:
        """Return the picture of a figure."""
        async with _translate_errors(f"rag://blocks/{block_id}/image", self._seconds):
            try:
                library, caller = await self._library(), self._caller_of()
                picture = await library.picture(block_id, caller)
                if len(picture.data) > MAX_IMAGE_BYTES:
                    small = await library.small_picture(
                        block_id, caller, max_side=MAX_PICTURE_SIDE, max_bytes=MAX_IMAGE_BYTES
                    )
                    picture = small or picture
                disclose(*(hit.document.doc_id for hit in await library.blocks((block_id,), caller)))
                return picture.data
            except InvalidRequest as error:  # the caller may read the figure, but its picture is stored elsewhere
                raise ResourceError(" ".join((str(error), *error.hints))) from error

    async def with_documents(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        """Add the newest readable documents to `resources/list`, as MCP middleware."""
        result = await call_next(ctx)
        if ctx.method != "resources/list" or not isinstance(result, dict):
            return result
        return result | {"resources": [*result["resources"], *await self._documents()]}

    async def _documents(self) -> list[dict[str, Any]]:
        """Return the newest documents, or none if the index cannot be read; a tool call will report that error."""
        from corpus.citations import with_distinct_names  # start-up does not need this import
        from corpus.search import Listing

        documents: tuple[Document, ...] = ()
        outcome = "InternalError"
        try:
            with within(self._seconds):
                listing = Listing(sort_by="upload_date", limit=MAX_LISTED)
                documents = (await (await self._library()).list_documents(listing, self._caller_of())).documents
            outcome = "ok"
        except IbidError as error:
            outcome = error.type
        except Exception:
            log.exception("resources.not_listed")
        finally:
            log.info("resource.list", outcome=outcome, documents=len(documents))
        disclose(*(document.doc_id for document in documents))
        distinct = with_distinct_names(documents)
        return [_listed(document, distinct[document.doc_id].filename) for document in documents]


def _listed(document: Document, name: str) -> dict[str, Any]:
    resource = Resource(
        uri=document_uri(document.doc_id),
        name=name or document.doc_id,
        title=document.title[:MAX_TITLE] or name,
        mime_type="application/json",
    )
    return resource.model_dump(mode="json", by_alias=True, exclude_none=True)


def add_resources(
    server: MCPServer[Any],
    library: LibraryOf,
    caller_of: CallerOf,
    seconds: float | None,
    *,
    pages: bool = True,
) -> None:
    """Register resources and their templates with the server."""
    read = Resources(library, caller_of, seconds)
    # An image may be a PNG, a JPEG or a WebP. Its media type is sent with its bytes.
    for uri, name, title, kind, function in (
        (DOCUMENT, "document", "A document: summaries, outline, figures", "application/json", read.document),
        (PAGE, "page", "The text of a page", "text/plain", read.page),
        (PAGE_IMAGE, "page_image", "A page as a picture", "image/*", read.page_image),
        (BLOCK_IMAGE, "block_image", "The image of a block", "image/*", read.block_image),
    ):
        if uri == PAGE_IMAGE and not pages:
            continue
        server.resource(uri, name=name, title=title, description=f"{title}.", mime_type=kind)(function)
    server.middleware.append(read.with_documents)


@asynccontextmanager
async def _translate_errors(uri: str, seconds: float | None) -> AsyncIterator[None]:
    """Convert our errors into the SDK's. Errors of the request become "not found"."""
    outcome = "InternalError"  # the SDK logs the traceback of a crash
    try:
        with within(seconds):
            yield
        outcome = "ok"
    except AskDifferently as error:
        outcome = error.type
        raise _not_found(uri) from error
    except ResourceError:
        outcome = InvalidRequest.type
        raise
    except IbidError as error:
        outcome = error.type
        raise ResourceError(str(error)) from error
    finally:
        log.info("resource.read", uri=uri[:200], outcome=outcome)


def _not_found(uri: str) -> ResourceNotFoundError:
    return ResourceNotFoundError(
        f"No such resource among those you may read: {uri}. Results of rag_semantic_search and "
        "rag_list_documents contain addresses that exist."
    )


def _number(page: str) -> int:
    if page.isascii() and page.isdigit() and 0 < len(page) < 8 and int(page) > 0:
        return int(page)
    raise DocumentNotFound("no page number")
