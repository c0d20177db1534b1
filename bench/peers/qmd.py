"""qmd: keyword search (`lex`) over Markdown. Its vectors, question expansion and reranking need models that it
downloads, 2 GB in total.

A `lex` query finds only texts with all of its words, so a complete question finds next to nothing. The bench queries it
as its documentation advises: with keywords, as several sub-queries whose results qmd fuses by rank. The first sub-query
contains all meaningful words of the question, and each of the others contains one of these words, up to qmd's limit of
ten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from bench.peers import environments
from bench.peers.promise import Command, Material, Page

VERSION, NODE = "2.8.3", "22.23.5"
SUB_QUERIES = 10
EMPTY = frozenset(
    """
    a an and are as at be been by can did do does for from had has have how i if in into is it its my of on or our
    should that the their them there these they this to was we were what when where which who why will with would
    you your der die das den dem des ein eine einen einem einer und oder ist sind wird werden wie was welche welcher
    welches wo wann warum für von mit auf im in zu zum zur bei man kann es sich nicht als auch an aus
    """.split()  # noqa: SIM905 - ninety quoted words would read worse
)


class Qmd:
    """https://github.com/tobi/qmd"""

    name, mode, reads, tool, in_memory = "qmd", "lex", "text of pages", "query", False

    def install(self) -> str:
        self._node, package = environments.node_package("@tobilu/qmd", VERSION, NODE)
        self._program = str(package / "bin" / "qmd")
        return VERSION

    def ingestion(self, material: Material, state: Path) -> Sequence[Command]:
        add = ["collection", "add", str(material.texts), "--name", "pages"]
        return [[self._node, self._program, *add]]

    def server(self, material: Material, state: Path) -> StdioServerParameters:
        return StdioServerParameters(command=self._node, args=[self._program, "mcp"], env=self.settings(state))

    def settings(self, state: Path) -> dict[str, str]:
        return environments.of(state)

    async def ready(self, client: Client, material: Material) -> None:
        """Do nothing, because the index is on disk."""

    def arguments(self, query: str, top_k: int, material: Material) -> dict[str, Any]:
        return {"searches": searches(query), "limit": top_k, "rerank": False}

    def pages(self, answer: Any, material: Material) -> list[Page]:
        return [material.page_of(hit["file"]) for hit in answer["results"]]


def searches(question: str) -> list[dict[str, str]]:
    words = [word for word in re.findall(r"[\w-]+", question) if word.lower() not in EMPTY]
    asked = list(dict.fromkeys([" ".join(words), *words])) or [question]
    return [{"type": "lex", "query": text} for text in asked[:SUB_QUERIES]]
