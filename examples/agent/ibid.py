"""The server, started as a process of the agent's own, and its answers as a model reads them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent

from .own_tools import function

IDENTITY = {
    "user_id": "RAG_USER_ID",
    "department": "RAG_DEPARTMENT",
    "org_id": "RAG_ORG_ID",
    "groups": "RAG_GROUPS",
}
ERROR_KEY = "io.github.ibid-mcp/error"
"""Of `_meta` of a failed call: the object with its `type`. The text has the error, hints and the type, a line each."""
UNSEEN = ("rag_show_page",)  # gives a picture, which this agent does not hand to its model

Server = StdioServerParameters | MCPServer[Any] | str


def started(user_context: Mapping[str, str]) -> StdioServerParameters:
    """How to start it. Who asks is said here, where no model can change it."""
    known = {name: value for name, value in os.environ.items() if name.startswith(("RAG_", "AZURE_", "OTEL_"))}
    known.setdefault("RAG_LOG_LEVEL", "WARNING")  # it writes its log into the same terminal
    known |= {IDENTITY[key]: value for key, value in user_context.items() if key in IDENTITY}
    beside_python = Path(sys.executable).with_name("ibid")
    command = str(beside_python) if beside_python.exists() else shutil.which("ibid")
    return StdioServerParameters(command=command or "ibid", args=["serve"], env=known)


def no_server(failed: BaseException) -> str:
    """Why there is no server, from what a connection raised, which may be a group of groups."""
    while isinstance(failed, BaseExceptionGroup):
        failed = failed.exceptions[0]
    if isinstance(failed, FileNotFoundError):
        return "The command `ibid` is not found. Install it beside this Python: pip install ibid-mcp"
    return (
        f"No connection to the server ({failed or type(failed).__name__}). What it said stands above; `ibid doctor` "
        "looks for the cause."
    )


async def tools(client: Client) -> list[dict[str, Any]]:
    listed = (await client.list_tools()).tools
    return [function(one.name, one.description or "", one.input_schema) for one in listed if one.name not in UNSEEN]


async def system_prompt(client: Client, names: list[str]) -> str:
    """How to plan, search and cite, published by the server for the tools that the model will have."""
    got = await client.get_prompt("rag_system_prompt", {"available_tools": "\n".join(f"- {one}" for one in names)})
    return "\n\n".join(one.content.text for one in got.messages if isinstance(one.content, TextContent))


async def call(client: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the tool answered, a failure too: `success` tells, and `error` and `hints` what to do."""
    return answer_in(await client.call_tool(name, arguments))


def answer_in(result: CallToolResult) -> dict[str, Any]:
    if result.structured_content is not None:
        return dict(result.structured_content)
    text = "\n".join(one.text for one in result.content if isinstance(one, TextContent))
    if result.is_error and (failure := (result.meta or {}).get(ERROR_KEY)):
        error, *hints, _ = text.splitlines()
        return {"success": False, "error": error, "type": failure["type"], "hints": hints}
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"success": not result.is_error, "text": text}
