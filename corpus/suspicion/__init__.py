"""Texts of documents that speak to a model instead of a reader."""
