"""Measure other MCP servers for retrieval with the same documents and questions, in the same run and through the same
client."""
