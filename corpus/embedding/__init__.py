"""Vectors for queries and passages."""
