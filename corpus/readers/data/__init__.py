"""Data and source code: text files that are cited by line."""
