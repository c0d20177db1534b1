"""`create_rag_agent`, and the agent that it makes: a mission, a model, a server, a folder for its sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcp import Client, MCPError

from .asking import Ask, by_elicitation
from .events import Event, EventType
from .ibid import Server, no_server, started
from .model import ChatModel, ModelFailed, Reply
from .run import Run
from .state import Session, SessionUnusable

NOTHING_MORE = ("", "Start")
"""What a caller passes as user_message who has nothing to say beside the mission."""


class Model(Protocol):
    async def reply(self, messages: list[dict[str, object]], tools: list[dict[str, object]]) -> Reply: ...


def create_rag_agent(
    name: str, description: str, mission: str, work_dir: str | Path, llm: Model | None = None,
    user_context: Mapping[str, str] | None = None, *, ask: Ask | None = None, max_steps: int = 20,
    server: Server | None = None,
) -> Agent:  # fmt: skip
    """`llm` is by default the model of OPENAI_MODEL. `user_context` says who asks: user_id, department, org_id, groups.

    `ask` puts a question to the user and gives the answer, None where there is none; without it, a run that has to ask
    ends, and is taken up by `execute` with the answer as user_message. A run makes at most `max_steps` replies.
    `server` is by default an `ibid serve` of each run's own; a URL is one over HTTP, which knows its callers itself.
    """
    chosen = started(user_context or {}) if server is None else server
    model = llm or ChatModel()
    return Agent(name, description, mission, Path(work_dir), model, dict(user_context or {}), chosen, ask, max_steps)


@dataclass(frozen=True)
class Agent:
    name: str
    description: str
    mission: str
    work_dir: Path
    llm: Model
    user_context: dict[str, str]
    server: Server
    ask: Ask | None
    max_steps: int

    async def execute(self, user_message: str = "Start", session_id: str = "session-1") -> AsyncIterator[Event]:
        """Events as they happen, the last one COMPLETE, ERROR, or an ASK_USER that waits. The same session_id goes on
        with what its file in work_dir holds, after a kill too. Raises SessionUnusable for one of another user and
        for a file that is none."""
        session = Session(self.work_dir, session_id)
        if not session.is_new and session["user_context"] != self.user_context:
            raise SessionUnusable(f"The session {session_id} is another user's. Take another session_id.")
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        # A task of its own: connections must be closed by the task that opened them, wherever the caller stops reading.
        work = asyncio.create_task(self._work(session, user_message, events.put_nowait))
        work.add_done_callback(lambda done: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            await work
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work

    async def _work(self, session: Session, user_message: str, emit: Callable[[Event], None]) -> None:
        said = "" if user_message in NOTHING_MORE else user_message
        asked = by_elicitation(self.ask, emit) if self.ask else None
        try:
            async with Client(self.server, elicitation_callback=asked) as client:
                try:
                    await Run(self, client, session, emit).go(said)
                except (
                    ModelFailed,
                    MCPError,
                ) as error:  # here, since a connection that ends wraps what passes it
                    emit(Event(EventType.ERROR, {"message": str(error)}))
        except* (MCPError, OSError) as group:
            emit(Event(EventType.ERROR, {"message": no_server(group)}))
