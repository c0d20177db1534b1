"""An SDK server with one empty tool: the minimum cost of any server built with the SDK."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("bare")


@server.tool()
def empty(query: str) -> dict[str, str]:
    """Return an empty result."""
    return {}


if __name__ == "__main__":
    server.run("stdio")
