"""Replacements for missing parts of the MCP SDK. Each file states the upstream reason."""
