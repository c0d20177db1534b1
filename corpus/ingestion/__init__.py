"""Ingestion: from files to an index, with an outcome for each file."""
