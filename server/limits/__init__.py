"""Rate limits of one caller: calls per minute, and calls at once."""
