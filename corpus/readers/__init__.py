"""Readers: from a file's bytes to blocks, one file per source format."""
