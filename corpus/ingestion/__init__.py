"""From files to an index, each file with an outcome."""
