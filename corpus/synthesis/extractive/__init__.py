"""Extractive answers: sentences, tables and figures of the sources, selected and quoted without a model."""
