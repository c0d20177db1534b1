"""Ingestion: read files into an index, with an outcome for each file."""
