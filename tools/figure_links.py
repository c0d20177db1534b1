"""Attach figures to an answer as links, and also as pictures if the client asks for them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcp.types import ContentBlock, ImageContent, ResourceLink

from corpus.access import Caller
from corpus.errors import IbidError
from corpus.search import Hit
from tools import token_budget
from tools.disclosed_documents import disclose

if TYPE_CHECKING:
    from corpus.library import Library

MAX_LINKS, MAX_PICTURES = 10, 3
MAX_SIDE, MAX_BYTES = 1_024, 90_000
"""Maximum side length, in pixels, and maximum size, in bytes, of a picture that accompanies an answer."""
MAX_CAPTION = 60
"""Maximum length of a caption, in tokens."""
HOW_TO_LOOK = "rag_show_page with its block_id shows a figure."


async def figures(
    hits: Iterable[Hit], library: Library, caller: Caller, *, with_pictures: bool
) -> tuple[ContentBlock, ...]:
    """Return up to MAX_LINKS links to the figures in `hits`. With `with_pictures`, up to MAX_PICTURES of the links are
    followed by their pictures."""
    content: list[ContentBlock] = []
    pictures = 0
    for link, hit in zip(_links(hits, pages=library.shows_pages), images(hits), strict=False):
        content.append(link)
        if with_pictures and pictures < MAX_PICTURES:
            picture = await _picture(hit, library, caller)
            content.extend(picture)
            pictures += len(picture)
    return tuple(content)


def images(hits: Iterable[Hit]) -> list[Hit]:
    """Return the first hits that are figures with a URL, at most MAX_LINKS and without duplicates."""
    by_id = {hit.block.block_id: hit for hit in hits if hit.block.block_type == "image" and hit.block.image_url}
    return list(by_id.values())[:MAX_LINKS]


def _links(hits: Iterable[Hit], *, pages: bool) -> Iterator[ResourceLink]:
    for hit in images(hits):
        block = hit.block
        page = f", page {block.page_number}" if block.page_number is not None else ""
        how = f" rag_show_page with block_id={block.block_id} shows it." if pages else ""
        yield ResourceLink(
            type="resource_link",
            uri=block.image_url or "",
            name=token_budget.shortened(block.image_caption or "Figure", MAX_CAPTION),
            description=f"{hit.document.filename}{page}.{how}",
        )


async def _picture(hit: Hit, library: Library, caller: Caller) -> list[ContentBlock]:
    """Return the picture, or an empty list if the index does not contain it or it is too large."""
    try:
        picture = await library.small_picture(hit.block.block_id, caller, max_side=MAX_SIDE, max_bytes=MAX_BYTES)
    except IbidError:  # the answer is usable without the picture
        return []
    if picture is None:
        return []
    disclose(hit.block.doc_id)
    data = base64.b64encode(picture.data).decode("ascii")
    return [ImageContent(type="image", data=data, mime_type=picture.mime_type)]
