"""A scripted model with the four APIs that clients use: Anthropic messages, OpenAI chat completions and responses, and
Gemini content. It stores every request, to show what input a model receives.

The script is a new user's conversation: a search, the figure that the search names, a document whose name is ambiguous,
and the answer with the citation from the search. The tools already called determine the next step.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

QUESTION = "When is the mechanical seal changed?"
FIGURE = "xyz-pump-technical-manual.pdf"
AMBIGUOUS = "pump"
SEARCH_TOOLS = ("ToolSearch", "tool_search", "tool_search_tool")
CALLER = "tool_call"
"""Name of the tool with which a client's model calls a tool that is not in its list."""
LAST = "final_answer"
"""Name of the tool with which a client's model returns its answer."""
CITATION = re.compile(r"\(Source: (?:[^()]|\([^()]*\))*\)")

STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rag_semantic_search", {"query": QUESTION, "top_k": 3}),
    ("rag_show_page", {"doc_id": FIGURE, "page_number": 8}),
    ("rag_get_document", {"name": AMBIGUOUS}),
)


@dataclass(frozen=True)
class Call:
    name: str
    arguments: dict[str, Any]
    namespace: str | None = None


@dataclass(frozen=True)
class Asked:
    """A request in a form common to all APIs: the offered tools and the calls made so far."""

    tools: Mapping[str, str | None]
    """The names of the tools, each with its namespace if the API has namespaces."""
    calls: tuple[str, ...]
    text: str
    """The complete request as text."""

    def next(self) -> Call | str:
        """Return the next call, or the answer."""
        if not self.tools:
            return "Seal"  # A request without tools asks for a title of the conversation.
        for name, arguments in STEPS:
            if any(call.endswith(name) for call in self.calls):
                continue
            if tool := next((tool for tool in self.tools if tool.endswith(name)), None):
                return Call(tool, arguments, self.tools[tool])
            hidden = re.search(rf'"(\w*ibid_+{name})\\*"', self.text)
            if hidden and CALLER in self.tools:
                return Call(CALLER, {"name": hidden[1], "arguments": arguments})
            search = next((tool for tool in self.tools if tool in SEARCH_TOOLS), None)
            if search and self.calls.count(search) < len(STEPS):
                query = f"+ibid {name}" if search == "ToolSearch" else name
                return Call(search, {"query": query})
        found = [text for text in CITATION.findall(self.text) if FIGURE in text]
        answer = f"The seal is replaced every 16,000 hours {found[0] if found else 'uncited'}."
        return Call(LAST, {"answer": answer}) if LAST in self.tools else answer


class Model:
    """An HTTP server that listens on a local port while the context is open. It stores each request in a file in
    `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[str] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                data = [{"id": "scripted", "object": "model", "created": 0, "owned_by": "nobody"}]
                self._send("application/json", json.dumps({"object": "list", "data": data, "models": []}))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                if self.headers.get("Transfer-Encoding") == "chunked":
                    body = self._chunks()
                model.keep(self.path, body)
                kind, text = answered(self.path, json.loads(body or "{}"), body)
                self._send(kind, text)

            def _chunks(self) -> str:
                parts = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts).decode()

            def _send(self, kind: str, text: str) -> None:
                content = text.encode()
                self.send_response(200 if kind else 404)
                self.send_header("Content-Type", kind or "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def keep(self, path: str, body: str) -> None:
        with self._lock:
            self.requests.append(body)
            name = f"{len(self.requests):03}{re.sub(r'[^a-z]+', '-', path.lower())[:40]}.json"
        (self.folder / name).write_text(body, encoding="utf-8")


def answered(path: str, body: dict[str, Any], text: str) -> tuple[str, str]:
    """Return the content type and the response body. The content type is empty if the server has no such path."""
    path, _, _ = path.partition("?")
    if path.endswith(("/count_tokens", ":countTokens")):
        return "application/json", '{"input_tokens": 1, "totalTokens": 1}'
    if path.endswith("/messages"):
        return _anthropic(body, text)
    if path.endswith("/chat/completions"):
        return _chat(body, text)
    if path.endswith("/responses"):
        return _responses(body, text)
    if "enerateContent" in path:
        return _gemini(body, text, streams="stream" in path)
    return "", '{"error": {"message": "no such address", "type": "not_found"}}'


def _events(events: Iterator[dict[str, Any]] | list[dict[str, Any]], *, typed: bool) -> tuple[str, str]:
    lines = ((f"event: {event['type']}\n" if typed else "") + f"data: {json.dumps(event)}\n\n" for event in events)
    return "text/event-stream", "".join(lines)


def _anthropic(body: dict[str, Any], text: str) -> tuple[str, str]:
    parts = [part for turn in body["messages"] if isinstance(turn["content"], list) for part in turn["content"]]
    calls = tuple(part["name"] for part in parts if part["type"] == "tool_use")
    tools = {tool["name"]: None for tool in body.get("tools", ()) if not tool.get("defer_loading")}
    found = re.findall(r'"tool_name": ?"(\w+)"', text)  # tools that the client's tool search returned
    step = Asked(tools | dict.fromkeys(found), calls, text).next()
    if isinstance(step, str):
        block: dict[str, Any] = {"type": "text", "text": step}
        empty, delta = block | {"text": ""}, {"type": "text_delta", "text": step}
    else:
        block = {"type": "tool_use", "id": f"toolu_{len(calls)}", "name": step.name, "input": step.arguments}
        empty = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    reason = "end_turn" if isinstance(step, str) else "tool_use"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "scripted"),
        "content": [block], "stop_reason": reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if not body.get("stream"):
        return "application/json", json.dumps(message)
    start = message | {"content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return _events(events, typed=True)


def _chat(body: dict[str, Any], text: str) -> tuple[str, str]:
    functions = [
        call["function"] for turn in body["messages"] for call in turn.get("tool_calls") or () if "function" in call
    ]
    calls = tuple(
        json.loads(each["arguments"])["name"] if each["name"] == CALLER else each["name"] for each in functions
    )
    calls += tuple(re.findall(r"'name': '(rag_\w+)'", text))  # smolagents reports calls as text
    tools = {tool["function"]["name"]: None for tool in body.get("tools") or () if "function" in tool}
    step = Asked(tools, calls, text).next()
    if isinstance(step, str):
        message: dict[str, Any] = {"role": "assistant", "content": step}
    else:
        function = {"name": step.name, "arguments": json.dumps(step.arguments)}
        call = {"index": 0, "id": f"call_{len(calls)}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    reason = "stop" if isinstance(step, str) else "tool_calls"
    about = {"id": "chat_1", "created": 0, "model": body.get("model", "scripted")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        whole = about | {"object": "chat.completion", "choices": [choice], "usage": usage}
        return "application/json", json.dumps(whole)
    part = about | {"object": "chat.completion.chunk"}
    chunks = [
        part | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        part | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]
    kind, stream = _events(chunks, typed=False)
    return kind, stream + "data: [DONE]\n\n"


def _responses(body: dict[str, Any], text: str) -> tuple[str, str]:
    items = body["input"] if isinstance(body["input"], list) else []
    calls = tuple(
        str(item.get("name") or item["type"].removesuffix("_call"))
        for item in items
        if str(item.get("type")).endswith("_call")
    )
    brought = [tool for item in items for tool in item.get("tools") or () if isinstance(item, dict)]
    step = Asked(dict(_names([*(body.get("tools") or ()), *brought])), calls, text).next()
    if isinstance(step, str):
        content = [{"type": "output_text", "text": step, "annotations": []}]
        item: dict[str, Any] = {
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content,
        }  # fmt: skip
    elif step.name in SEARCH_TOOLS and _is_own(body, step.name):
        item = {
            "type": "tool_search_call", "id": f"ts_{len(calls)}", "call_id": f"call_{len(calls)}",
            "execution": "client", "status": "completed", "arguments": step.arguments,
        }  # fmt: skip
    else:
        item = {
            "type": "function_call", "id": f"fc_{len(calls)}", "call_id": f"call_{len(calls)}",
            "name": step.name, "arguments": json.dumps(step.arguments), "status": "completed",
        }  # fmt: skip
        item |= {"namespace": step.namespace} if step.namespace else {}
    usage = {
        "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    response = {
        "id": "resp_1", "object": "response", "created_at": 0, "status": "completed", "output": [item],
        "model": body.get("model", "scripted"), "parallel_tool_calls": False, "tool_choice": "auto",
        "tools": [], "usage": usage, "error": None, "incomplete_details": None, "instructions": None,
        "metadata": {}, "temperature": None, "top_p": None,
    }  # fmt: skip
    if not body.get("stream"):
        return "application/json", json.dumps(response)
    begun = response | {"status": "in_progress", "output": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item | {"status": "in_progress"}},
    ]
    if isinstance(step, str):
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        events.append({"type": "response.output_text.delta", "delta": step, **place, "logprobs": []})
    events += [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return _events([event | {"sequence_number": n} for n, event in enumerate(events)], typed=True)


def _is_own(body: dict[str, Any], name: str) -> bool:
    """Return whether the API has a separate tool type for the tool search, which is otherwise a function."""
    return any(tool.get("type") == name for tool in body.get("tools") or ())


def _names(tools: list[dict[str, Any]]) -> Iterator[tuple[str, str | None]]:
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from ((each["name"], tool["name"]) for each in tool.get("tools", ()))
        elif name := tool.get("name") or tool.get("type"):
            yield str(name), None


def _gemini(body: dict[str, Any], text: str, *, streams: bool) -> tuple[str, str]:
    parts = [part for turn in body["contents"] for part in turn.get("parts", ())]
    calls = tuple(part["functionCall"]["name"] for part in parts if "functionCall" in part)
    tools = {tool["name"]: None for group in body.get("tools") or () for tool in group.get("functionDeclarations", ())}
    step = Asked(tools, calls, text).next()
    if body.get("generationConfig", {}).get("responseMimeType") == "application/json":
        step = "{}"
    part = {"text": step} if isinstance(step, str) else {
        "functionCall": {"name": step.name, "args": step.arguments}
    }  # fmt: skip
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
    return _events([whole], typed=False) if streams else ("application/json", json.dumps(whole))
