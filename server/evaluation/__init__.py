"""The report of an evaluation for people."""
