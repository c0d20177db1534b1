"""How well answers are checked against their sources."""
