"""Read the claims of an answer and the sources that each claim cites."""
