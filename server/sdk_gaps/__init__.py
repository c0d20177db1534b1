"""Replacements for missing parts of the MCP SDK, each file with the upstream reason."""
