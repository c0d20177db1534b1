"""What each server that is compared is asked for, and the documents that all of them are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mcp import Client, StdioServerParameters

Page = tuple[str, int]
"""File name of the PDF, and the page from 1."""
Command = Sequence[str]


@dataclass(frozen=True)
class Material:
    """The same documents as PDFs and as one text file a page, for servers that read no PDF: the text is pdfium's, in
    `texts/SLUG/p0001.md`, with the document and the page as its heading. Making them costs no server any time."""

    pdfs: Path
    texts: Path
    names: Mapping[str, str]
    """Slug of a document to the name of its file."""
    drawn: bool = False
    """Its words are drawn at random."""

    def page_of(self, text_file: str) -> Page:
        """The page whose text the file is, however a server writes its path."""
        slug, page = Path(text_file).parts[-2:]
        return self.names[slug], int(Path(page).stem.removeprefix("p"))


class Peer(Protocol):
    """A server that runs offline. `state` is a folder of its own for one set of documents."""

    name: str
    mode: str
    """What of it runs here, as its documentation names it."""
    reads: str
    tool: str
    in_memory: bool
    """Holds what it has read in its process alone, and reads again at each start."""

    def install(self) -> str:
        """Puts it into an environment of its own, unless it is there. Its version."""

    def ingestion(self, material: Material, state: Path) -> Sequence[Command]:
        """Commands that read the documents, none where a tool does it."""

    def server(self, material: Material, state: Path) -> StdioServerParameters: ...

    def settings(self, state: Path) -> dict[str, str]:
        """The environment of its commands."""

    async def ready(self, client: Client, material: Material) -> None:
        """Calls that must come before the first search."""

    def arguments(self, query: str, top_k: int, material: Material) -> dict[str, Any]: ...

    def pages(self, answer: Any, material: Material) -> list[Page]:
        """Pages of the results in their order; the same page may come again."""
