"""What an answer cites: its claims, the markers in them, and the sources that these name."""
