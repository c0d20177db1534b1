"""The evidence view for clients that support MCP Apps."""
