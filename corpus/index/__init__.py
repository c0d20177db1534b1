"""Where blocks are kept and found: one promise, several engines."""
