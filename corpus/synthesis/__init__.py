"""Answers made from blocks, with their sources."""
