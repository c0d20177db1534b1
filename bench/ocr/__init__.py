"""How well scans are read."""
