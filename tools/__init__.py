"""The MCP tools, with one file for each. `makers` lists them in the order in which clients see them.

A tool's module is imported when the tool is created, so that the server can answer `initialize` first.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tools.protocol import CallerOf, LibraryOf, Make, Models, ToolFunction

__all__ = ["Maker", "makers", "view_makers"]


@dataclass(frozen=True, slots=True)
class Maker:
    """A tool's name, its title for people, and a factory for its function. `reads_index` is false for a tool that only
    calls a model. `writes` is true for a tool that may wait for a model. `hint` adds keywords for clients that search
    for tools."""

    name: str
    title: str
    make: Make
    reads_index: bool = True
    writes: bool = False
    hint: str = ""


def makers(models: Models) -> tuple[Maker, ...]:
    """Return the tools that clients see. They do not change while the process runs."""
    listed = [
        _maker(
            "rag_semantic_search",
            "Search the documents",
            "my files pdf manual notes mail knowledge base",
        ),
        _maker("rag_list_documents", "List documents", "my files pdf notes mail knowledge base"),
        _maker("rag_get_document", "Get a document", "read summarize pdf manual my files"),
        _maker("rag_show_page", "Show a page", "figure diagram scan pdf page"),
        Maker(
            "rag_synthesize",
            "Write a cited answer",
            _later("rag_synthesize", models=models),
            writes=True,
            hint="answer from my files pdf manual notes mail knowledge base",
        ),
        _maker("rag_verify_answer", "Check an answer", "fact check citations my files pdf"),
    ]
    if models.llm_generate is not None:
        listed.append(Maker("llm_generate", "Write text", _writing(models), reads_index=False, writes=True))
    return tuple(listed)


def view_makers() -> tuple[Maker, ...]:
    """Return the tools that only the evidence view calls. They are not listed to models."""
    return (_maker("rag_show_evidence", "Show the evidence"),)


def _maker(name: str, title: str, hint: str = "") -> Maker:
    return Maker(name, title, _later(name), hint=hint)


def _later(name: str, **more: Any) -> Make:
    def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
        function: ToolFunction = import_module(f"tools.{name}").make(library, caller_of, **more)
        return function

    return make


def _writing(models: Models) -> Make:
    def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
        from tools import llm_generate

        return llm_generate.make(models)

    return make
