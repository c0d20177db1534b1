"""Answers composed from blocks, with their sources."""
