"""Storage and retrieval of blocks: one protocol, several engines."""
