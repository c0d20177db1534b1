"""A client with a model that exchanges raw lines with a server process, and can answer as no valid client would.

    with RawClientModel("The pump moves water. [1]", env=environment(RAG_LLM_GENERATE="true"), era="legacy") as client:
        client.shake_hands()
        answer = client.call("rag_synthesize", {"query": "What does the pump do?"})

An answer is a text, any JSON of an answer, `DECLINES`, or `SILENT`. With `SILENT` it repeats the call without an answer
from 2026-07-28 on, and before that it does not answer until `answers_late`. The last answer repeats. `asked` contains
the parameters of each question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.doubles.raw_stdio import ENVELOPE, RawServer

SILENT: dict[str, Any] = {"silent": True}
DECLINES: dict[str, Any] = {"code": -1, "message": "User rejected sampling request"}
MOST_ROUNDS = 5


class RawClientModel(RawServer):
    capability, method = "sampling", "sampling/createMessage"

    def __init__(self, *says: Any, **server: Any) -> None:
        super().__init__(**server)
        self._says = list(says)
        self.asked: list[dict[str, Any]] = []
        self.unanswered: list[Any] = []

    def says(self, *says: Any) -> None:
        """Use these answers from now on, as if the server had asked nothing before."""
        self._says = list(says)
        self.asked = []

    def shake_hands(self) -> dict[str, Any]:
        if self.era == "modern":
            return self.ask("server/discover")
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {self.capability: {}},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        answer = self.ask("initialize", hello)
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())
        return answer

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        made = super().request(method, params)
        if self.era == "modern":
            offered = {"io.modelcontextprotocol/clientCapabilities": {self.capability: {}}}
            made["params"]["_meta"] = ENVELOPE | offered
        return made

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the final answer of a call, after as many calls as the server requires."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        for _ in range(MOST_ROUNDS):
            answer = self.ask("tools/call", params)
            result = answer.get("result", {})
            if result.get("resultType") != "input_required":
                return answer
            params = params | {"requestState": result["requestState"], "inputResponses": self._back(result)}
            if not params["inputResponses"]:
                del params["inputResponses"]
        raise AssertionError(f"still asked after {MOST_ROUNDS} rounds")

    def answer_to(self, request_id: object) -> dict[str, Any]:
        """Return the answer with that id, and answer the questions that come before it."""
        while True:
            message: dict[str, Any] = json.loads(self._line())
            if message.get("method") == self.method:
                self._reply(message)
            elif "method" not in message and message.get("id") == request_id:
                return message

    def _back(self, result: dict[str, Any]) -> dict[str, Any]:
        said = {key: self._next(one["params"]) for key, one in result["inputRequests"].items()}
        return {key: one for key, one in said.items() if one is not SILENT}

    def _reply(self, message: dict[str, Any]) -> None:
        said = self._next(message["params"])
        if said is SILENT:
            self.unanswered.append(message["id"])
        else:
            self._send_answer(message["id"], said)

    def answers_late(self, said: Any) -> None:
        """Answer every question that is still open, including those of calls that ended long ago."""
        while self.unanswered:
            self._send_answer(self.unanswered.pop(0), of_text(said) if isinstance(said, str) else said)

    def _send_answer(self, request_id: Any, said: Any) -> None:
        kind = "error" if said is DECLINES else "result"
        self.send(json.dumps({"jsonrpc": "2.0", "id": request_id, kind: said}).encode())

    def _next(self, params: dict[str, Any]) -> Any:
        said = self._says[min(len(self.asked), len(self._says) - 1)]
        self.asked.append(params)
        return said if not isinstance(said, str) else of_text(said)


def of_text(text: str, **changes: Any) -> Mapping[str, Any]:
    """Return the JSON of a valid answer."""
    content = {"type": "text", "text": text}
    return {"role": "assistant", "content": content, "model": "raw", "stopReason": "endTurn"} | changes


class RawUser(RawClientModel):
    """The same for a person who fills in forms, with answers in JSON."""

    capability, method = "elicitation", "elicitation/create"
