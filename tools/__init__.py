"""The MCP tools, one a file. `makers` gives those that are listed, in the order in which clients see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tools import (
    llm_generate,
    rag_get_document,
    rag_list_documents,
    rag_semantic_search,
    rag_show_evidence,
    rag_show_page,
    rag_synthesize,
    rag_verify_answer,
)
from tools.models import Models
from tools.promise import Make

__all__ = ["Maker", "makers", "view_makers"]


@dataclass(frozen=True, slots=True)
class Maker:
    """The title that a person sees, and what makes the tool's function. `reads_index` is false for a tool that asks a
    model and nothing else, `writes` true for one that may wait for a model."""

    title: str
    make: Make
    reads_index: bool = True
    writes: bool = False


def makers(models: Models) -> tuple[Maker, ...]:
    """The same for the life of a process."""
    listed = [
        Maker("Search the documents", rag_semantic_search.make),
        Maker("List documents", rag_list_documents.make),
        Maker("Get a document", rag_get_document.make),
        Maker("Show a page", rag_show_page.make),
        Maker("Write a cited answer", partial(rag_synthesize.make, models=models), writes=True),
        Maker("Check an answer", rag_verify_answer.make),
    ]
    if models.llm_generate is not None:
        listed.append(
            Maker(
                "Write text",
                lambda library, caller_of: llm_generate.make(models),
                reads_index=False,
                writes=True,
            )
        )
    return tuple(listed)


def view_makers() -> tuple[Maker, ...]:
    """Of tools that no model calls, but the view of the evidence."""
    return (Maker("Show the evidence", rag_show_evidence.make),)
