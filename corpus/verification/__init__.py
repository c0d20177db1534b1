"""Whether the claims of an answer stand in the sources that they cite."""
