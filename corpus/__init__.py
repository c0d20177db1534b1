"""The domain: documents, blocks, access, search, synthesis. Knows nothing of MCP and reads no environment."""
