"""HTML of strangers as a tree: decoded by its own word or by what fits, never nested without end."""

from __future__ import annotations

import re

from lxml import etree, html

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import decoded
from corpus.readers.markup import Node

_CHARSET = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_\-:.]{1,40})", re.IGNORECASE
)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_START = 4096


def tree_of(source: bytes | str) -> Node:
    """The root element. UnreadableDocument when there is none or it is nested too deeply."""
    text = source if isinstance(source, str) else text_of(source)
    parser = html.HTMLParser(huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(
            _DECLARATION.sub("", text.replace("\0", "")) or "<p></p>", parser=parser
        )
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise UnreadableDocument("holds nothing that can be read as HTML") from error
    if any("depth" in str(entry.message) for entry in parser.error_log):
        raise UnreadableDocument("its elements are nested too deeply")
    return root


def text_of(data: bytes) -> str:
    """Decoded as the page says of itself, unless that fits worse than UTF-8 or a mark at its start."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = _CHARSET.search(data[:_START])
    try:
        return data.decode(named[1].decode("ascii")) if named else decoded(data)
    except (LookupError, UnicodeError):  # the latter of encodings that are none, such as "undefined"
        return decoded(data)
