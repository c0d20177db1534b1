"""Measure how well scans are read."""
