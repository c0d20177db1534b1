"""The view of the evidence, for clients that show views (MCP Apps): what it is, who gets it, and what it is told."""
