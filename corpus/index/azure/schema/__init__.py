"""Definitions of the two indexes: their fields, how they are created, and how an existing one differs."""
