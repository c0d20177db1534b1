"""How fast documents get into the local index, in how much memory, and what an interruption costs."""
