"""Add an entry for Ibid to the configuration of MCP clients, or remove it."""
