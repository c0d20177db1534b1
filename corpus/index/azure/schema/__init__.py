"""Definitions of the two indexes: their fields, their creation, and differences from an existing index."""
