"""Measure how well answers are checked against their sources."""
