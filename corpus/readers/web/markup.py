"""Parse untrusted HTML into a tree of limited depth."""

from __future__ import annotations

import re

from lxml import etree, html

from corpus.errors import UnreadableDocument
from corpus.readers.markup import Node

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def tree_of(text: str) -> Node:
    """Return the root element. Raises UnreadableDocument where there is none or the tree is too deep."""
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
