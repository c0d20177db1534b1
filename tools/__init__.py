"""The MCP tools, one a file. `MAKERS` is all of them, in the order in which clients see them."""

from __future__ import annotations

from dataclasses import dataclass

from tools import rag_get_document, rag_list_documents, rag_semantic_search, rag_show_page, rag_synthesize
from tools.promise import Make

__all__ = ["MAKERS", "Maker"]


@dataclass(frozen=True, slots=True)
class Maker:
    """The title that a person sees, and what makes the tool's function."""

    title: str
    make: Make


MAKERS = (
    Maker("Search the documents", rag_semantic_search.make),
    Maker("List documents", rag_list_documents.make),
    Maker("Get a document", rag_get_document.make),
    Maker("Show a page", rag_show_page.make),
    Maker("Write a cited answer", rag_synthesize.make),
)
