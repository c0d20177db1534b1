"""Hostile and broken files, each created by a small function, and the expected result of reading them."""
