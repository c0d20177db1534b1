"""A block: one citable unit of a document, text or image, with its position."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

BlockType = Literal["text", "image"]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom edges, in PDF points from the top left corner of the visible page."""

KEY = re.compile(r"[A-Za-z0-9_\-=]{1,1024}")
"""Pattern for document ids and block ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block as an index stores it. For an image, `content` is the known text about it, without its caption."""

    block_id: str
    doc_id: str
    block_type: BlockType
    content: str = ""
    image_url: str | None = None
    image_caption: str | None = None
    page_number: int | None = None
    page_label: str | None = None
    chunk_number: int = 0
    heading: str | None = None
    bbox: Box | None = None
    start_line: int | None = None
    end_line: int | None = None
    char_start: int | None = None
    char_end: int | None = None
    language: str | None = None
    access_control_list: tuple[str, ...] = ()


MAX_PICTURE_BYTES = 1_000_000
"""Maximum size of a picture in bytes: base64 adds a third, and MCP clients limit a tool result to a few MB."""
MAX_PICTURE_SIDE = 1_600
"""Maximum length of a picture's sides in pixels. Vision models scale larger pictures down to this size."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The bytes of a block's image or of a rendered page, with their media type."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class PagePicture(Picture):
    """A rendered page; `size` is its width and height in points, the unit of boxes on it."""

    size: tuple[float, float] = (0.0, 0.0)


def picture_resource(block_id: str) -> str:
    """Return the URI of a block's picture as a resource of this server."""
    return f"rag://blocks/{block_id}/image"


def passage_text(block: Block) -> str:
    """Return the text that is embedded and searched for a block: its heading, caption and content."""
    parts = (block.heading, block.image_caption, block.content)
    return "\n".join(part for part in parts if part)
