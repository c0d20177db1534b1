"""Readers: convert a file's bytes to blocks, with one module per source format."""
