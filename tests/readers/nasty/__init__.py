"""Hostile and broken files, each made by a small function, and what a sound reader makes of them."""
