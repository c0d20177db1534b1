"""Create the tools when a client first needs them; `initialize` does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool, ToolManager


class LaterTools(ToolManager):
    """The SDK's tool manager, with tools created on first use."""

    def __init__(self, make: Callable[[], Iterable[Tool]]) -> None:
        self._make = make
        self.warn_on_duplicate_tools = True

    @cached_property
    def _tools(self) -> dict[str, Tool]:  # type: ignore[override]
        return {tool.name: tool for tool in self._make()}


def add_tools(server: MCPServer[Any], make: Callable[[], Iterable[Tool]]) -> None:
    """Replace the server's tools."""
    # The SDK has no public way to add tools of another class later.
    server._tool_manager = LaterTools(make)
