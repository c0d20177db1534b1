"""A scripted model that plans and calls tools, served by a real chat service, with complete and streamed answers.

service = AgentModel(calls(("rag_semantic_search", {"query": "pump"})), says("It pumps."))
Each turn is the next act of the model, computed from the conversation so far. The last turn repeats.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from aiohttp import web

from tests.doubles.chat_service import MODEL, ChatService
from tests.doubles.embedding_service import Act, Body, EmbeddingService

Message = dict[str, Any]
Turn = Callable[[list[Message]], Message]
PIECE = 7
"""Characters of a streamed chunk, fewer than in any name, so that the client must join the chunks of each name."""


class AgentModel(ChatService):
    def __init__(self, *turns: Turn) -> None:
        super().__init__()
        self.turns = list(turns)
        self._done = 0

    @property
    def environment(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.key or "", "OPENAI_MODEL": MODEL}

    def conversation(self, request: int = -1) -> list[Message]:
        return list(self.requests[request].body["messages"])

    async def _answer(self, body: Body, model: str) -> Body:
        answer = await super()._answer(body, model)
        turn = self.turns[min(self._done, len(self.turns) - 1)]
        self._done += 1
        message = turn(body["messages"])
        ends = "tool_calls" if message.get("tool_calls") else "stop"
        answer |= {"id": f"answer-{self._done}", "created": 0}
        answer["choices"][0] |= {"message": {"role": "assistant", **message}, "finish_reason": ends}
        return answer

    async def _act(self, request: web.Request, body: Body, model: str | None, admitted: bool) -> web.StreamResponse:
        response = await super()._act(request, body, model, admitted)
        if not body.get("stream") or response.status != 200 or isinstance(response, Broken):
            return response
        assert isinstance(response, web.Response)
        assert isinstance(response.body, bytes)
        return web.Response(body=streamed(json.loads(response.body)), content_type="text/event-stream")


class Broken(web.Response):
    """A response whose connection ends in the middle."""

    async def write_eof(self, data: bytes = b"") -> None:
        assert isinstance(self.body, bytes)
        await self.write(self.body[: len(self.body) // 2])
        if self._req is not None and self._req.transport is not None:
            self._req.transport.close()


def breaking_off(service: EmbeddingService, answer: Body) -> web.StreamResponse:
    return Broken(body=streamed(answer), content_type="text/event-stream")


def too_long(limit: int) -> Act:
    """Refuse a conversation whose results have more characters than this, like a model with a full context window."""

    def act(service: EmbeddingService, answer: Body) -> web.StreamResponse | None:
        given = [one["content"] for one in service.requests[-1].body["messages"] if one["role"] == "tool"]
        if sum(map(len, given)) <= limit:
            return None
        error = {
            "message": "maximum context length",
            "code": "context_length_exceeded",
            "type": "x",
            "param": None,
        }
        return web.json_response({"error": error}, status=400)

    return act


def says(text: str) -> Turn:
    return lambda messages: {"content": text}


def refuses(text: str) -> Turn:
    return lambda messages: {"content": None, "refusal": text}


def calls(*named: tuple[str, dict[str, Any] | str], saying: str | None = None) -> Turn:
    """Call tools with arguments as an object, or as a text that a model might write instead."""

    def turn(messages: list[Message]) -> Message:
        made = [
            {
                "id": f"call-{len(messages)}-{n}",
                "type": "function",
                "function": {"name": name, "arguments": written},
            }
            for n, (name, arguments) in enumerate(named)
            for written in [arguments if isinstance(arguments, str) else json.dumps(arguments)]
        ]
        return {"content": saying, "tool_calls": made}

    return turn


def results(messages: list[Message]) -> list[dict[str, Any]]:
    """Return the answers of the tools, newest last."""
    return [json.loads(one["content"]) for one in messages if one["role"] == "tool"]


def synthesizes(question: str) -> Turn:
    """Call rag_synthesize with the blocks of the previous search."""

    def turn(messages: list[Message]) -> Message:
        blocks = [one["block_id"] for one in results(messages)[-1]["results"]]
        return calls(("rag_synthesize", {"query": question, "block_ids": blocks[:8], "mode": "compose"}))(messages)

    return turn


def gives_the_answer(messages: list[Message]) -> Message:
    """End with the text that rag_synthesize wrote."""
    return {"content": results(messages)[-1]["answer"]}


def streamed(answer: Body) -> bytes:
    """Return the answer as server-sent events in small chunks."""
    choice = answer["choices"][0]
    frame = {"id": answer["id"], "object": "chat.completion.chunk", "created": 0, "model": answer["model"]}
    pieces: list[tuple[dict[str, Any], str | None]] = [(one, None) for one in _deltas(choice["message"])]
    pieces.append(({}, choice["finish_reason"]))
    events = [{**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": ends}]} for delta, ends in pieces]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode() + b"data: [DONE]\n\n"


def _deltas(message: Message) -> Iterator[dict[str, Any]]:
    for key in ("content", "refusal"):
        text = message.get(key) or ""
        yield from ({key: text[at : at + PIECE]} for at in range(0, len(text), PIECE))
    for n, call in enumerate(message.get("tool_calls", ())):
        function, written = call["function"], call["function"]["arguments"]
        begins = {"name": function["name"], "arguments": ""}
        yield {"tool_calls": [{"index": n, "id": call["id"], "type": "function", "function": begins}]}
        for at in range(0, len(written), PIECE):
            yield {"tool_calls": [{"index": n, "function": {"arguments": written[at : at + PIECE]}}]}
