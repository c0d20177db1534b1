"""One run of a session: ask the model, do what it calls for, until it answers and the answer is checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp import Client

from . import checking, ibid
from .calls import Calls
from .events import Event, EventType
from .model import ModelFailed, Reply
from .own_tools import ASK_USER, EXTRA_INSTRUCTIONS, PLAN
from .state import Session

if TYPE_CHECKING:
    from .agent import Agent

SHORT = 400
"""Letters of a tool's result that are kept where a conversation grows too long for its model."""
LAST_STEP = "This is the last step: answer now from what you have, with its citations, and say what is missing."
NOT_WRITTEN = "You wrote nothing. Answer, or call a tool."


class Run:
    def __init__(self, agent: Agent, client: Client, session: Session, emit: Callable[[Event], None]) -> None:
        self._agent, self._client, self._session, self._emit = agent, client, session, emit
        self._calls = Calls(client, session, agent.ask, emit)
        self._corrected = False

    async def go(self, said: str) -> None:
        """Raises ModelFailed; the session then holds all that was done until then."""
        tools = [PLAN, ASK_USER, *await ibid.tools(self._client)]
        if self._session.is_new:
            await self._begin([one["function"]["name"] for one in tools])
        answered = self._calls.take(said)
        if not await self._calls.are_done():
            return
        if said and not answered:
            self._session.say({"role": "user", "content": said})
            self._session["answer"] = None
        if self._session["answer"] is None:
            await self._steps(tools)
        else:
            self._complete()

    async def _begin(self, names: list[str]) -> None:
        agent, session = self._agent, self._session
        session["mission"], session["user_context"] = agent.mission, agent.user_context
        prompt = await ibid.system_prompt(self._client, names)
        who = f"You are {agent.name}: {agent.description}"
        session["messages"] = [{"role": "system", "content": f"{who}\n\n{EXTRA_INSTRUCTIONS}\n\n{prompt}"}]
        session.say({"role": "user", "content": agent.mission})

    async def _steps(self, tools: list[dict[str, Any]]) -> None:
        for left in reversed(range(self._agent.max_steps)):
            if left == 0:
                self._session.say({"role": "user", "content": LAST_STEP})
            reply = await self._reply(tools if left else [])
            self._session.say(reply.as_message())
            if not reply.calls:
                if await self._is_answer(reply, last=left == 0):
                    return
                continue
            if reply.text:
                self._emit(Event(EventType.THOUGHT, {"text": reply.text}))
            if not await self._calls.are_done():
                return
        self._emit(Event(EventType.ERROR, {"message": f"No answer within {self._agent.max_steps} steps."}))

    async def _reply(self, tools: list[dict[str, Any]]) -> Reply:
        """Raises ModelFailed. A conversation that is too long loses the older half of its long results, and again."""
        while True:
            try:
                return await self._agent.llm.reply(self._session["messages"], tools)
            except ModelFailed as error:
                if not error.too_long or not self._shorten():
                    raise

    def _shorten(self) -> bool:
        long = [m for m in self._session["messages"] if m["role"] == "tool" and len(m["content"]) > SHORT]
        for message in long[: (len(long) + 1) // 2]:
            message["content"] = message["content"][: SHORT - 20] + " … (cut)"
        self._session.save()
        return bool(long)

    async def _is_answer(self, reply: Reply, *, last: bool) -> bool:
        """Whether that is the end. What does not stand in its sources is sent back to the model, once."""
        if not reply.text.strip():
            self._session.say({"role": "user", "content": NOT_WRITTEN})
            return False
        check = None if reply.refused else await checking.verified(self._client, self._session, reply.text)
        if check is not None:
            self._calls.told("rag_verify_answer", check)
        if check and (wrong := checking.faults(check)) and not (self._corrected or last):
            self._corrected = True
            self._session.say({"role": "user", "content": wrong})
            return False
        self._session["answer"] = {"answer": reply.text, "verification": check, "refused": reply.refused}
        self._session.save()
        self._complete()
        return True

    def _complete(self) -> None:
        data = {**self._session["answer"], "todolist": self._session["todolist"]}
        self._emit(Event(EventType.COMPLETE, data))
