"""The environment in which a page is tried: a home, a folder with documents, and fakes of the services on the page."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.azure_search.service import StandIn
from tests.doubles.embedding_service import EmbeddingService
from tests.doubles.in_thread import in_thread
from tests.doubles.trace_receiver import TraceReceiver

IBID = str(Path(sys.executable).with_name("ibid"))
OTHERS = ("RAG_", "AZURE_", "OTEL_", "OPENAI_", "LANGFUSE_", "XDG_", "CLAUDE_")
"""Prefixes of variables that this machine may have, but a new reader's machine does not."""
SEARCH, OPENAI = "https://NAME.search.windows.net", "https://NAME.openai.azure.com"
RECEIVERS = ("http://localhost:4318", "https://cloud.langfuse.com/api/public/otel")
EMBEDDER = "company-model"
PACKAGED = "multilingual-e5-small-q4-1571fc982750"
DOCUMENTS = {
    "handbook/pump.md": "# Pumps\n\n## Care\n\nThe oil is changed every 4,000 hours.\n",
    "salaries/salaries.md": "# Salaries\n\nThe salary of the director is secret.\n",
    "plans/plans.md": "# Plans\n\n## Next year\n\nA second hall is built in spring.\n",
    "Manuals/impeller.md": "# Impeller\n\nThe impeller turns at 2900 revolutions per minute.\n",
}


@dataclass
class Place:
    """The environment of a page. `folder` is the working directory of commands. `stand_in` replaces the addresses in a
    text with local ones."""

    root: Path
    index: Path
    open: ExitStack
    env: dict[str, str] = field(default_factory=dict)
    receiver: TraceReceiver | None = None
    service: StandIn | None = None
    _said: dict[str, str] = field(default_factory=lambda: {"ingest DOCUMENTS": "ingest handbook salaries"})

    def __post_init__(self) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}
        home = {"HOME": str(self.home), "USERPROFILE": str(self.home), "APPDATA": str(self.home / "AppData")}
        path = f"{Path(IBID).parent}{os.pathsep}{kept.get('PATH', '')}"
        self.env = kept | home | {"PATH": path, "RAG_DATA_DIR": str(self.index), "RAG_EMBEDDER": "none"}
        self.home.mkdir()
        self.folder.mkdir()

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def folder(self) -> Path:
        return self.root / "work"

    def with_documents(self) -> None:
        for folder in (self.folder, self.home):
            write_documents(folder)

    def with_copies(self, *names: str, of: Path) -> None:
        for name in names:
            shutil.copytree(of / name, self.folder / name)

    def stand_in(self, text: str) -> str:
        """Return the text with local addresses. Each service starts when it is first mentioned."""
        if SEARCH in text and SEARCH not in self._said:
            self.service = self.open.enter_context(standing_in())
            self._said |= {SEARCH: self.service.endpoint, "ADMIN_KEY": self.service.admin_key}
        if OPENAI in text and OPENAI not in self._said:
            embeddings = self.embeddings()
            embeddings.deployments["text-embedding-3-small"] = "text-embedding-3-small"
            self._said |= {OPENAI: embeddings.endpoint, "API_KEY=KEY": f"API_KEY={embeddings.key}"}
        for one in RECEIVERS:
            if one in text and one not in self._said:
                self.receiver = self.open.enter_context(in_thread(TraceReceiver()))
                self._said[one] = self.receiver.endpoint
        for name, value in self._said.items():
            text = text.replace(name, value)
        return text

    def with_embedder(self) -> None:
        """Use a service instead of the packaged model, which takes minutes on a small machine and has its own tests."""
        service = self.embeddings()
        self.env |= {
            "RAG_EMBEDDER": "openai", "RAG_EMBEDDER_MODEL": EMBEDDER, "RAG_EMBEDDER_BASE_URL": service.base_url,
            "RAG_EMBEDDER_API_KEY": str(service.key), "RAG_EMBEDDER_DIMENSIONS": "96",
        }  # fmt: skip
        self._said[PACKAGED] = EMBEDDER

    def embeddings(self) -> EmbeddingService:
        return self.open.enter_context(in_thread(EmbeddingService()))

    def says(self, text: str) -> str:
        """Return the shown output with the local addresses."""
        host = urlsplit(self._said.get(SEARCH, SEARCH)).hostname
        return self.stand_in(text).replace(str(urlsplit(SEARCH).netloc), str(host))


def write_documents(folder: Path, texts: Mapping[str, str] = DOCUMENTS) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
