"""The clients that Ibid can put itself into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.clients import places
from server.clients.places import Machine

SERVERS = "mcpServers"


@dataclass(frozen=True, slots=True)
class Client:
    """`root` is the key above its entries; `project_file` lies in a project's folder, None where there are none;
    `comments` says that it reads them; `typed` that its entries name their transport. `again` is what makes it look
    at its configuration, `gone` what ends what it started."""

    name: str
    title: str
    user_file: Callable[[Machine], Path]
    again: str
    gone: str
    project_file: str | None = None
    root: str = SERVERS
    comments: bool = False
    typed: bool = False

    def entry(self, command: str, args: tuple[str, ...], env: dict[str, str]) -> dict[str, Any]:
        said: dict[str, Any] = {"type": "stdio"} if self.typed else {}
        return said | {"command": command, "args": list(args), "env": env}


CLIENTS = {
    one.name: one
    for one in (
        Client("claude-desktop", "Claude Desktop", places.claude_desktop,
               "Quit Claude Desktop, not only its window, and start it again.",
               "Claude Desktop has it until it is quit."),
        Client("claude-code", "Claude Code", places.claude_code,
               "Sessions that run keep what they have; `/mcp` in a new one shows it.",
               "Sessions that run keep it; new ones do not have it.", ".mcp.json", typed=True),
        Client("vscode", "VS Code", places.vscode,
               "In VS Code, MCP: List Servers starts it.",
               "In VS Code, MCP: List Servers stops one that runs.",
               ".vscode/mcp.json", "servers", comments=True, typed=True),
        Client("cursor", "Cursor", places.cursor,
               "In Cursor, the settings of MCP switch it on.",
               "Cursor has it until it is started again.", ".cursor/mcp.json", comments=True),
    )
}  # fmt: skip
