"""The sample documents in an index without vectors, and the fixtures that the examples need."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from corpus.index.local import LocalIndex
from corpus.library import Library
from examples.agent import Event, EventType, create_rag_agent
from tests.doubles.agent_model import AgentModel, Turn
from tests.doubles.raw_stdio import environment
from tests.server.desk import Desk

ROOT = Path(__file__).parents[2]
MISSION = "What are the main risks in Project Titan from Q3 reports?"
IBID = str(Path(sys.executable).with_name("ibid"))


def ingested(folder: Path, documents: Sequence[Path]) -> dict[str, str]:
    """Return the settings of a server with these documents."""
    settings = {"RAG_DATA_DIR": str(folder), "RAG_EMBEDDER": "none", "RAG_LOG_LEVEL": "WARNING"}
    subprocess.run([IBID, "ingest", *map(str, documents)], env=environment(**settings), check=True, capture_output=True)
    return settings


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The samples without the two manuals, which take longest to read."""
    folder = ROOT / "examples" / "documents"
    some = [*folder.glob("project-titan-*.pdf"), *folder.glob("*-guide.pdf"), *folder.glob("*.md")]
    return ingested(tmp_path_factory.mktemp("samples"), some)


@pytest.fixture
async def server(samples: dict[str, str]) -> AsyncIterator[MCPServer[Any]]:
    """A server with the same index in this process, because a separate one takes seconds to start."""
    index = LocalIndex.open(Path(samples["RAG_DATA_DIR"]), None)
    yield Desk(index, Library(index, None)).server
    await index.aclose()


@pytest.fixture
def settings(samples: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Set the settings in the environment, as a user would."""
    for name in [name for name in os.environ if name.startswith(("RAG_", "AZURE_", "OTEL_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    for name, value in samples.items():
        monkeypatch.setenv(name, value)
    return samples


Server = MCPServer[Any]
Thinking = Callable[..., AbstractAsyncContextManager[AgentModel]]


@pytest.fixture
def thinking(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Thinking:
    """Factory of a model: `async with thinking(*turns) as model` configures it in the environment."""

    @asynccontextmanager
    async def open_service(*turns: Turn) -> AsyncIterator[AgentModel]:
        async with AgentModel(*turns) as service:
            for name, value in service.environment.items():
                monkeypatch.setenv(name, value)
            yield service

    return open_service


async def run(
    server: Server | None, work_dir: Path, said: str = "Start", mission: str = MISSION, **wishes: Any
) -> list[Event]:
    """Return all events of one run. Without a server, start one."""
    agent = create_rag_agent("Ibid", "answers from documents", mission, work_dir, server=server, **wishes)
    return [event async for event in agent.execute(said, "s1")]


def kinds(events: Sequence[Event]) -> list[EventType]:
    return [event.type for event in events]


def told(events: Sequence[Event], kind: EventType) -> list[dict[str, Any]]:
    return [event.data for event in events if event.type is kind]
