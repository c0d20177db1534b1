"""What the MCP SDK lacks, each file with the upstream reason."""
