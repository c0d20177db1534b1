"""How much one caller may ask: calls in a minute, and calls at once."""
