"""Measure the speed and memory of ingestion into the local index, and the cost of an interruption."""
