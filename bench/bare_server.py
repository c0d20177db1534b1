"""A server of the SDK with one empty tool: what no server made with it can do without."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("bare")


@server.tool()
def empty(query: str) -> dict[str, str]:
    """Gives back nothing."""
    return {}


if __name__ == "__main__":
    server.run("stdio")
