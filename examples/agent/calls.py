"""What the model calls for, done and kept one by one, so that a run which was killed goes on with the next."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mcp import Client

from . import checking, ibid
from .asking import Ask
from .events import Event, EventType
from .state import Session

MOST_ALIKE = 2
ALIKE = "You called this tool in the same way before. Use what it gave, change the call, or answer."
NO_JSON = "The arguments are no JSON object. Write them again."

Result = dict[str, Any]


class Calls:
    def __init__(self, client: Client, session: Session, ask: Ask | None, emit: Callable[[Event], None]) -> None:
        self._client, self._session, self._ask, self._emit = client, session, ask, emit

    async def are_done(self) -> bool:
        """Do what the model called for and has no result yet. False where the user has to be waited for."""
        for call in self._open():
            function = call["function"]
            result = await self._result(function["name"], _parsed(function["arguments"]))
            if result is None:
                return False
            self._answer(call, result)
        return True

    def take(self, said: str) -> bool:
        """Whether that was the answer to the question with which a former run ended."""
        asked = next((one for one in self._open() if one["function"]["name"] == "ask_user"), None)
        if said and asked:
            self._answer(asked, {"success": True, "answer": said})
        return bool(said and asked)

    def told(self, name: str, result: Result) -> Result:
        data = {"tool": name, "success": bool(result.get("success")), "result": result}
        self._emit(Event(EventType.TOOL_RESULT, data))
        return result

    def _open(self) -> list[dict[str, Any]]:
        messages = self._session["messages"]
        done = {one.get("tool_call_id") for one in messages}
        return [call for one in messages for call in one.get("tool_calls", ()) if call["id"] not in done]

    def _answer(self, call: dict[str, Any], result: Result) -> None:
        content = json.dumps(result, ensure_ascii=False)
        self._session.say({"role": "tool", "tool_call_id": call["id"], "content": content})

    async def _result(self, name: str, arguments: dict[str, Any] | None) -> Result | None:
        if arguments is None:
            return self.told(name, {"success": False, "error": NO_JSON})
        if name == "plan":
            self._session["todolist"] = arguments
            self._emit(Event(EventType.THOUGHT, {"text": "", "todolist": arguments}))
            return {"success": True}
        if name == "ask_user":
            return await self._asked(arguments)
        return await self._called(name, arguments)

    async def _called(self, name: str, arguments: dict[str, Any]) -> Result:
        history, asked = self._session["search_history"], {"tool": name, "input": arguments}
        if history.count(asked) >= MOST_ALIKE:
            return self.told(name, {"success": False, "error": ALIKE})
        self._emit(Event(EventType.ACTION, asked))
        result = await ibid.call(self._client, name, arguments)
        history.append(asked)
        checking.note_sources(self._session, name, result)
        return self.told(name, result)

    async def _asked(self, arguments: dict[str, Any]) -> Result | None:
        question = str(arguments.get("question", ""))
        options = [str(one) for one in arguments.get("options") or ()]
        data = {"question": question, "options": options, "waits": self._ask is None}
        self._emit(Event(EventType.ASK_USER, data))
        if self._ask is None:
            return None
        if answer := await self._ask(question, options):
            return {"success": True, "answer": answer}
        return {"success": False, "error": "The user gave no answer. Go on without one."}


def _parsed(written: str) -> dict[str, Any] | None:
    try:
        arguments = json.loads(written or "{}")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None
