"""Kill ingestions, and check what they leave."""
