"""Kill ingestions, and check the index that they leave."""
