"""Where blocks are kept and found: one protocol, several engines."""
