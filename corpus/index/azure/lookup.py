"""Look up documents, blocks and pictures by id, with the caller's rights.

The service's own lookup by key does not accept a filter, so it is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from corpus.documents.block import KEY, Block, Picture
from corpus.documents.document import Document
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.index.azure.filter_conditions import id_condition
from corpus.index.azure.pictures import page_name
from corpus.index.azure.rows import OF_LISTED_DOCUMENTS, Row, document_of, reading_order
from corpus.index.azure.schema.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY, NAMES_OF_DOCUMENTS, PAGES
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import MAX_ROWS
from corpus.index.azure.view import View, every_row
from corpus.index.protocol import Begun, Counts
from corpus.lookup.not_found import no_document, no_picture
from corpus.odata import comparison
from corpus.text.normalization import clean, fold_case

_OF_PICTURES = (BLOCK_KEY, DOCUMENT_KEY, "block_type", "image_url", ACCESS)
_OF_PAGES = (DOCUMENT_KEY, PAGES, ACCESS)

MAX_DOCUMENT_BLOCKS = 20_000
"""Maximum number of blocks that one call reads from one document."""


async def document(view: View, doc_id: str) -> Document:
    """Return a document. Raises DocumentNotFound."""
    doc_id = clean(doc_id)
    answer = await view.documents([id_condition("doc_id", [doc_id])], top=1) if KEY.fullmatch(doc_id) else None
    if answer is None or not answer.rows:
        raise no_document(doc_id, view.rights_warnings)
    return document_of(answer.rows[0])


async def documents(view: View, doc_ids: Iterable[str]) -> dict[str, Document]:
    """Return the readable documents, keyed by id, without outlines and page labels."""
    by_id: dict[str, Document] = {}
    for some in _batches(doc_ids):
        answer = await view.documents([id_condition("doc_id", some)], top=len(some), fields=OF_LISTED_DOCUMENTS)
        by_id |= {row["doc_id"]: document_of(row) for row in answer.rows}
    return by_id


async def blocks(view: View, block_ids: Sequence[str]) -> tuple[Block, ...]:
    """Return the readable blocks, in the requested order."""
    by_id: dict[str, Block] = {}
    for some in _batches(one for one in block_ids if KEY.fullmatch(one)):
        answer = await view.blocks([id_condition("block_id", some)], top=len(some))
        by_id |= {row["block_id"]: view.block(row) for row in answer.rows}
    return tuple(by_id[block_id] for block_id in dict.fromkeys(block_ids) if block_id in by_id)


async def pages(view: View, doc_id: str, first: int, last: int) -> tuple[Block, ...]:
    """Return the blocks of these pages. Raises DocumentNotFound."""
    most = 2**31 - 1
    place = [
        comparison("page_number", "ge", max(min(first, most), -most)),
        comparison("page_number", "le", max(min(last, most), -most)),
    ]
    shape = view.shapes.content
    page_blocks: tuple[Block, ...] | None = None
    if not shape.known or shape.compares("page_number", "number"):
        try:
            page_blocks = await _of(view, doc_id, *place) or await _unpaged(view, doc_id)
        except AzureSearchError as error:
            if shape.known or status_of(error) != 400:
                raise
    if page_blocks is None:
        page_blocks = tuple(
            block
            for block in await _of(view, doc_id)
            if block.page_number is None or first <= block.page_number <= last
        )
    return page_blocks or await _none_of(view, doc_id)


async def figures(view: View, doc_id: str) -> tuple[Block, ...]:
    """Return the image blocks. Raises DocumentNotFound."""
    images = await _of(view, doc_id, comparison("block_type", "eq", "image"))
    return images or await _none_of(view, doc_id)


async def picture(view: View, block_id: str) -> Picture:
    """Return a picture from the private container. Raises DocumentNotFound, or InvalidRequest if the picture is not in
    the container."""
    block_id = clean(block_id)
    row = (await _picture_rows(view, [block_id])).get(block_id)
    if row is None or view.block(row).block_type != "image":
        raise no_picture(block_id)
    name = view.picture_name(row)
    if name is None or view.pictures is None:
        address = view.block(row).image_url
        hint = f"Its address in the index: {address}" if address else "The index holds no address of it either."
        raise InvalidRequest(f"The index holds no picture of block {block_id} itself.", hints=(hint,))
    if stored := await view.pictures.get(name):
        return stored
    raise InvalidRequest(f"The picture of block {block_id} is not in the container.")


async def picture_addresses(view: View, block_ids: Sequence[str]) -> dict[str, str]:
    """Return signed addresses, keyed by block id, for readable blocks whose picture is in the private container."""
    if view.pictures is None:
        return {}
    rows = await _picture_rows(view, block_ids)
    names = {block_id: name for block_id, row in rows.items() if (name := view.picture_name(row))}
    signed = {block_id: await view.pictures.signed(name) for block_id, name in names.items()}
    return {block_id: address for block_id, address in signed.items() if address}


async def page_picture(view: View, doc_id: str, page_number: int) -> Picture | None:
    """Return the picture of a page that `ibid azure push --pages` uploaded, or None if it was not uploaded. Raises
    DocumentNotFound."""
    doc_id = clean(doc_id)
    if view.pictures is None or not view.shapes.documents.can(PAGES, "retrievable"):
        return None
    answer = KEY.fullmatch(doc_id) is not None and await view.documents(
        [id_condition(DOCUMENT_KEY, [doc_id])], top=1, fields=_OF_PAGES
    )
    if not answer or not answer.rows:
        raise no_document(doc_id, view.rights_warnings)
    folder = view.pictures.name_of(str(answer.rows[0].get(PAGES) or ""))
    return await view.pictures.get(page_name(folder, page_number)) if folder and page_number > 0 else None


async def _picture_rows(view: View, block_ids: Sequence[str]) -> dict[str, Row]:
    """Return the rows of readable blocks with their picture fields, keyed by block id."""
    rows: dict[str, Row] = {}
    for some in _batches(one for one in block_ids if KEY.fullmatch(one)):
        answer = await view.blocks([id_condition(BLOCK_KEY, some)], top=len(some), fields=_OF_PICTURES)
        rows |= {row[BLOCK_KEY]: row for row in answer.rows}
    return rows


async def counts(view: View) -> Counts:
    """Return totals over readable rows. `without_vector` is always 0, because the service cannot filter by missing
    vectors."""
    documents = await view.documents((), top=0, fields=("doc_id",), include_total_count=True)
    every = await view.blocks((), top=0, include_total_count=True)
    images = await view.blocks([comparison("block_type", "eq", "image")], top=0, include_total_count=True)
    return Counts(documents.total or 0, every.total or 0, images.total or 0, 0)


async def _none_of(view: View, doc_id: str) -> tuple[Block, ...]:
    """Return an empty tuple if the document exists. Raises DocumentNotFound if it does not."""
    await document(view, doc_id)
    return ()


async def _unpaged(view: View, doc_id: str) -> tuple[Block, ...]:
    every = await _of(view, doc_id)
    return () if any(block.page_number is not None for block in every) else every


async def _of(view: View, doc_id: str, *where: str) -> tuple[Block, ...]:
    """Return the blocks of a document that meet the conditions, in reading order. Raises InvalidRequest if there are
    too many."""
    ask = partial(view.blocks, [id_condition("doc_id", [doc_id]), *where])
    result = await every_row(ask, BLOCK_KEY, MAX_DOCUMENT_BLOCKS, view.shapes.content)
    if result.cut:
        raise InvalidRequest(
            f"The index gives only {len(result.rows)} of the {result.total} blocks asked for. Ask for fewer pages, or "
            "search in this document (filter doc_id)."
        )
    return tuple(sorted(map(view.block, result.rows), key=reading_order))


def _batches(ids: Iterable[str]) -> Iterable[list[str]]:
    distinct = list(dict.fromkeys(ids))
    return (distinct[start : start + MAX_ROWS] for start in range(0, len(distinct), MAX_ROWS))


MAX_COMPARED = 1_000
"""Maximum number of documents compared with the input. They fit in one response, so completion is fast enough to run at
every keystroke."""
_FIELDS = (DOCUMENT_KEY, *NAMES_OF_DOCUMENTS, ACCESS)


async def begun(view: View, typed: str, most: int) -> Begun:
    """Return completions among the first MAX_COMPARED documents, as `Index.begun` defines them."""
    ask = partial(view.documents, (), fields=_FIELDS)
    result = await every_row(ask, DOCUMENT_KEY, MAX_COMPARED, view.shapes.documents)
    key = fold_case(clean(typed).strip())
    names = {
        one.doc_id: fold_case(f"{one.doc_id}\n{one.title}\n{one.filename}") for one in map(document_of, result.rows)
    }
    fits = [doc_id for doc_id, name in names.items() if all(word in name for word in key.split())]
    fits.sort(key=lambda doc_id: (not fold_case(doc_id).startswith(key), doc_id))
    return Begun(tuple(fits[:most]), max(len(fits), most + 1) if result.cut else len(fits))
