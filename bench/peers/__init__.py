"""Other MCP servers for retrieval on the same documents and questions, in the same run and through the same client."""
