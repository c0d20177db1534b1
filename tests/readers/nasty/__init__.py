"""Hostile and broken files, each made by a small function, and the expected result of reading them."""
