"""The protocol that each compared server implements, and the documents that all of them read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mcp import Client, StdioServerParameters

Page = tuple[str, int]
"""File name of the PDF, and the 1-based page."""
Command = Sequence[str]


@dataclass(frozen=True)
class Material:
    """The same documents as PDFs and, for servers that do not read PDFs, as one text file per page. The text is
    extracted by PDFium and stored in `texts/SLUG/p0001.md`, with the document and the page as its heading. Creating
    these files does not count towards any server's time."""

    pdfs: Path
    texts: Path
    names: Mapping[str, str]
    """Map of each document's slug to its file name."""
    drawn: bool = False
    """Whether the words are random."""

    def page_of(self, text_file: str) -> Page:
        """Return the page that the text file contains, regardless of how a server writes the path."""
        slug, page = Path(text_file).parts[-2:]
        return self.names[slug], int(Path(page).stem.removeprefix("p"))


class Peer(Protocol):
    """A server that runs offline. `state` is the folder for the server's data about one set of documents."""

    name: str
    mode: str
    """Part of the server that is measured, named as in the server's documentation."""
    reads: str
    tool: str
    in_memory: bool
    """Whether the server keeps documents only in memory, and reads them again at each start."""

    def install(self) -> str:
        """Install the server into its own environment, unless it is already installed. Return its version."""

    def ingestion(self, material: Material, state: Path) -> Sequence[Command]:
        """Return the commands that read the documents; there are none if a tool reads them."""

    def server(self, material: Material, state: Path) -> StdioServerParameters: ...

    def settings(self, state: Path) -> dict[str, str]:
        """Return the environment variables of the commands."""

    async def ready(self, client: Client, material: Material) -> None:
        """Make the calls that must come before the first search."""

    def arguments(self, query: str, top_k: int, material: Material) -> dict[str, Any]: ...

    def pages(self, answer: Any, material: Material) -> list[Page]:
        """Return the pages of the results in order. A page may occur more than once."""
